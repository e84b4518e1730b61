# SPDX-License-Identifier: Apache-2.0
"""The skill ``beam`` of soccer robots: as the service, one command, and done when the robot has landed."""

from pathlib import Path

import pytest
from embodiment_bridge.srv import Beam as BeamService

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.commands import Beam
from embodiment_bridge.protocols.rcsssmj.converter import requests
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.protocols.soccer.requests import LANDED_S

BODIES = Path(__file__).parents[3] / "config/bodies"


def asked(side: str = "left"):
    return requests(ROBOTS["T1"], lambda: side, split=False)


def test_one_command_and_time_to_land() -> None:
    request = asked()
    beaming = request.begin_beaming(None, {"x": -3.0, "y": 2.0, "yaw": 0.0}, 0.0)
    assert list(request.next_actions()) == []
    beaming.step(0.02)
    beaming.step(0.02)
    assert list(request.next_actions()) == [Beam(-3.0, 2.0, 0.0)]
    assert not beaming.done
    beaming.step(LANDED_S)
    assert (beaming.done, beaming.progress, list(request.next_actions())) == (True, 1.0, [])


@pytest.mark.parametrize(("values", "missing"), [({"y": 2.0}, "x"), ({"x": -3.0, "yaw": 0.0}, "y")])
def test_half_a_place_is_refused(values: dict[str, float | str], missing: str) -> None:
    with pytest.raises(CommandError, match=f"beam: {missing} is missing"):
        asked().begin_beaming(None, values, 0.0)


@pytest.mark.parametrize("body", ["t1", "k1", "nao"])
def test_clients_are_told_the_frame(body: str) -> None:
    (beam,) = [one for one in read_body(BODIES / f"{body}.yaml").skill_infos() if one.name == "beam"]
    assert [(one.name, "in the frame team:" in one.description.lower()) for one in beam.details] == [
        ("x", True),
        ("y", True),
        ("yaw", True),
    ]


@pytest.mark.parametrize(
    ("side", "x", "reason"),
    [
        ("left", 0.5, "x is 0.5 m; it must be 0 or less"),
        ("", -1.0, "has not told which side"),
        (
            "left",
            -1e10,
            "Beam.x is -10000000000.0; it must be a number from",
        ),  # it would take its frame with it
    ],
)
def test_what_the_service_refuses_the_skill_refuses(side: str, x: float, reason: str) -> None:
    request = asked(side)
    with pytest.raises(CommandError, match=reason):
        request.handle("beam", BeamService.Request(x=x))
    with pytest.raises(CommandError, match=reason):
        request.begin_beaming(None, {"x": x, "y": 0.0}, 0.0)
    assert list(request.next_actions()) == []
