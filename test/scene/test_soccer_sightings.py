# SPDX-License-Identifier: Apache-2.0
"""What soccer players see: things of the field, and goals that are known by their posts."""

import math

import pytest

from embodiment_bridge.core.rotation import IDENTITY, quaternion_from_rpy
from embodiment_bridge.protocols.soccer.convert import TeamView
from embodiment_bridge.scene.entities import EntityMemory, Sighting
from embodiment_bridge.scene.sight import Agent, Point, Pose, Sight
from embodiment_bridge.scene.soccer import Player, goals, sightings

ME = Player("us", 3)
EYE = Pose((1.0, 2.0, 1.0), quaternion_from_rpy(0.0, 0.0, math.pi / 2))  # looks along y of the map


def at(name, *position):
    """Seen at a position in the camera's frame; the polar numbers are of no account here."""
    return Point(name, 0.0, 0.0, 0.0, position)


def seen(*points, agents=(), camera=EYE):
    return list(sightings(Sight(points, agents), camera, ME, 0.22))


def test_ball():
    (ball,) = seen(at("B", 3.0, 0.5, -0.89))
    assert (ball.id, ball.kind, ball.size, ball.properties) == ("ball", "ball", (0.22, 0.22, 0.22), ())
    assert ball.position == pytest.approx((0.5, 5.0, 0.11))


@pytest.mark.parametrize("name", ["l_luf", "F1L", "ball", "never heard of"])
def test_any_other_point_is_a_landmark_by_its_name(name):
    (mark,) = seen(at(name, 0.0, 2.0, 0.0))
    assert (mark.id, mark.kind, mark.properties) == (f"landmark_{name}", "landmark", (("name", name),))
    assert mark.position == pytest.approx((-1.0, 2.0, 1.0))


def test_player_is_the_box_round_what_is_seen_and_the_ground():
    parts = (at("head", 0.0, 0.0, 1.2), at("lfoot", 0.0, 0.4, 0.1), at("rfoot", 0.6, -0.2, 0.1))
    (player,) = seen(agents=(Agent("them", 7, parts),), camera=Pose((0.0, 0.0, 0.0), IDENTITY))
    assert player == Sighting(
        "player_them_7",
        "player",
        pytest.approx((0.3, 0.1, 0.6)),
        pytest.approx((0.6, 0.6, 1.2)),
        (("team", "them"), ("number", "7")),
    )


def test_player_seen_by_one_foot_has_a_size():
    (player,) = seen(agents=(Agent("them", 7, (at("lfoot", 2.0, 0.0, -1.0),)),))
    assert player.position == pytest.approx((1.0, 4.0, 0.05))
    assert player.size == (0.3, 0.3, 0.1)


@pytest.mark.parametrize(
    ("team", "number", "entities"), [("us", 3, 0), ("us", 4, 1), ("them", 3, 1), ("", -1, 1)]
)
def test_oneself_is_no_entity(team, number, entities):
    assert len(seen(agents=(Agent(team, number, (at("head", 1.0, 0.0, 0.0),)),))) == entities


def test_player_without_parts_is_nowhere():
    assert seen(agents=(Agent("them", 7, ()),)) == []


def test_what_is_infinitely_far_is_left_out_and_nothing_else():
    far = 1.7e308
    agent = Agent("them", 7, (at("head", far, far, far), at("lfoot", 1.0, 0.0, -1.0)))
    names = [
        entity.id for entity in seen(at("B", far, far, far), at("l_luf", 1.0, 0.0, 0.0), agents=(agent,))
    ]
    assert names == ["landmark_l_luf", "player_them_7"]
    assert seen(agents=(Agent("them", 7, (at("head", far, far, far),)),)) == []


POSTS = {"goal": ("a", "b")}


def post(name: str, y: float) -> Sighting:
    return Sighting(f"landmark_{name}", "landmark", (5.0, y, 1.0))


def test_a_goal_is_known_when_both_posts_are_and_visible_while_they_are() -> None:
    memory = EntityMemory(derived=lambda known: goals(known, POSTS))
    memory.look([post("a", 1.5)], 0.0, "t0")
    assert set(memory.things) == {"landmark_a"}
    known = memory.look([post("b", -1.5)], 1.0, "t1")
    goal = memory.things["goal"]
    assert known[-1] is goal
    assert (goal.kind, goal.position, goal.size) == ("goal", (5.0, 0.0, 0.5), (0.0, 3.0, 1.0))
    assert (goal.visible, goal.seen_s, goal.stamp) == (False, 0.0, "t0")
    memory.look([post("a", 1.5), post("b", -1.5)], 2.0, "t2")
    assert memory.things["goal"].visible
    assert memory.sightings["goal"].kind == "goal"
    memory.clear()
    assert not memory.things


@pytest.mark.parametrize(
    ("relative", "side", "goal"),
    [(False, "left", "right"), (False, "right", "left"), (True, "right", "right"), (True, "left", "right")],
)
def test_the_goal_is_that_of_the_opponents(relative, side, goal) -> None:
    view = TeamView(relative=relative, mirrored=str)
    posts = {"left": ("l1", "l2"), "right": ("r1", "r2")}
    assert view.goals(posts["left"], posts["right"]) == {}
    view.settle(side)
    found = view.goals(posts["left"], posts["right"])
    assert found["goal"] == posts[goal]
    assert set(found.values()) == set(posts.values())


def test_nothing_is_visible_in_a_picture_that_cannot_be_placed() -> None:
    memory = EntityMemory(derived=lambda known: goals(known, POSTS))
    memory.look([post("a", 1.5), post("b", -1.5)], 0.0, "t0")
    memory.blind()
    assert [thing.visible for thing in memory.things.values()] == [False] * 3
    assert memory.things["goal"].stamp == "t0"
    memory.look([post("a", 1.5), post("b", -1.5)], 1.0, "t1")
    assert memory.things["goal"].visible
