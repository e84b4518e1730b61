# SPDX-License-Identifier: Apache-2.0
"""Goals are derived of their posts, and known as long as those are."""

import pytest

from embodiment_bridge.protocols.soccer.convert import TeamView
from embodiment_bridge.scene.entities import EntityMemory, Sighting
from embodiment_bridge.scene.soccer import goals

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
