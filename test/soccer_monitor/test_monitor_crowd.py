# SPDX-License-Identifier: Apache-2.0
"""The full game of the benchmark is one: 22 players of two teams, whose changes fit their scene."""

import sys
from pathlib import Path

from monitor_stage import decode, fed

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from crowd import crowd, message


def test_all_players_are_there_and_all_of_them_move():
    scene, changes = crowd(22)
    first, *rows = decode(
        "simspark_monitor",
        message(scene, "RSG", 0.0).decode(),
        *(message(g, "RDS", 1.0).decode() for g in changes),
    )
    model = fed(first, *rows)
    assert (model.in_step, model.mismatches) == (True, 0)
    assert {(p.side, p.number) for p in model.objects.players} == {
        (side, number) for side in ("left", "right") for number in range(1, 12)
    }
    assert all(len(row.scene.matrices) > 400 for row in rows)
