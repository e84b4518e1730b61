# SPDX-License-Identifier: Apache-2.0
"""The documents of a player: what fails is tried again, whatever the game is like."""

from pathlib import Path

import pytest
from virtual_run import Script, VirtualRun

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillStatus

ROOT = Path(__file__).parents[2]
TEAM = ROOT / "config/bml/team"
SKILLS = {info.name: info for info in read_body(ROOT / "config/bodies/t1.yaml").skill_infos()}
SUBTREES = {
    name: (TEAM / f"{file}.json").read_text(encoding="utf-8")
    for name, file in (("player", "player"), ("keeper", "keeper"), ("shoot", "shoot_rcsssmj"))
}
FAR_FROM_ALL = {"team.phase": "play", "team.ball": 2.0, "team.lead": 999.0, "team.rival": 999.0}
MATE_IS_NEARER = FAR_FROM_ALL | {"team.lead": -1.0}
RIVAL_IS_NEARER = FAR_FROM_ALL | {"team.rival": -1.0}


@pytest.mark.parametrize(
    ("number", "values", "tried"),
    [
        (2, FAR_FROM_ALL, ["find", "find"]),
        (2, MATE_IS_NEARER, ["find"]),
        (2, RIVAL_IS_NEARER, ["go_to"]),
        (1, FAR_FROM_ALL, ["find", "go_to"]),
        (1, FAR_FROM_ALL | {"team.ball": 9.0}, ["go_to"]),
    ],
    ids=["goes for the ball", "leaves it to a mate", "stands in the way", "clears", "stays"],
)
def test_a_player_who_fell_goes_on(number, values, tried):
    script = Script()
    document = (TEAM / f"{number}.json").read_text(encoding="utf-8")
    stage = VirtualRun(document, skills=script, known=SKILLS, board=values, subtrees=SUBTREES)
    for now in range(40):
        stage.tick(now * 0.25)
        for name in SKILLS:
            script.end(name, SkillStatus.FAILED, "fallen")
    started = [call[1] for call in script.calls if call[0] == "start"]
    assert started[: len(tried)] == tried
    assert len(started) >= 5 * len(tried)
