# SPDX-License-Identifier: Apache-2.0
"""The mock body sees what is ahead, remembers the rest, and notices what is gone."""

from math import pi

import pytest
from mock_stage import BODY, ROOT

from embodiment_bridge.mock.sight import Sight
from embodiment_bridge.mock.world import World
from embodiment_bridge.scene.sight import FieldOfView
from embodiment_bridge.urdf import read_urdf

URDF = ROOT / "urdf/mock.urdf"
JOINTS = [joint.name for joint in BODY.joints]


def sight(view=FieldOfView(2.0944, 2.0944)) -> Sight:  # noqa: B008
    return Sight(read_urdf(URDF), JOINTS, "mock", view)


def visible(known) -> dict[str, bool]:
    return {one.sighting.id: one.visible for one in known}


def test_only_what_is_ahead_is_seen() -> None:
    seen = visible(sight().look(World(BODY), None))
    assert {"ball": True, "pillar": True, "wall_east": True}.items() <= seen.items()
    assert "wall_west" not in seen
    assert "robin" not in seen


def test_looking_away_for_long_the_ball_is_remembered() -> None:
    world, eyes = World(BODY), sight()
    eyes.look(world, None)
    world.base.yaw = pi
    for second in range(60):
        world.time = float(second)
        known = visible(eyes.look(world, None))
        assert known["ball"] is False
    assert known["wall_west"] is True


def test_a_ball_that_went_away_unseen_is_gone_when_its_place_is_seen() -> None:
    world, eyes = World(BODY), sight()
    eyes.look(world, None)
    world.base.yaw = pi
    eyes.look(world, None)
    world.ball.x = -3.0  # somebody carried it off
    world.base.yaw = 0.0
    looks = [visible(eyes.look(world, None)).get("ball") for _ in range(3)]
    assert looks == [False, False, None]


def test_the_ball_in_the_hand_is_felt() -> None:
    world, eyes = World(BODY), sight()
    world.ball.x, world.ball.y = -0.5, 0.0
    assert "ball" not in visible(eyes.look(world, None))
    world.ball.take()
    assert visible(eyes.look(world, None))["ball"] is True


def test_the_camera_turns_with_the_head() -> None:
    world, eyes = World(BODY), sight()
    world.servos.position[JOINTS.index("head_yaw")] = 1.5
    assert visible(eyes.look(world, None))["wall_north"] is True
    assert "pillar" not in visible(sight().look(world, None))


@pytest.mark.parametrize("description", [URDF, '<robot name="other"><link name="base_link"/></robot>'])
def test_all_round_it_sees_everything_also_without_a_camera(description) -> None:
    eyes = Sight(read_urdf(description), JOINTS, "mock", FieldOfView(100.0, 100.0))
    assert len(eyes.look(World(BODY), None)) == 8
