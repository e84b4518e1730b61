# SPDX-License-Identifier: Apache-2.0
"""What others do, found in the changes of what is seen."""

from embodiment_bridge.scene.seen_actions import ActionWatcher, Seen, SeenAction


def ball(x: float, owner: str = "", **others) -> Seen:
    return Seen("ball", (x, 0.0, 0.1), owner=owner, **others)


def robin(x: float, y: float = 0.0) -> Seen:
    return Seen("robin", (x, y, 0.5), agent=True)


def seen(*looks: tuple[Seen, ...], every: float = 0.25) -> list[SeenAction]:
    watcher = ActionWatcher()
    return [
        action for number, look in enumerate(looks) for action in watcher.look(look, 10.0 + every * number)
    ]


def test_grab_and_drop_and_pass_on():
    found = seen((ball(1),), (ball(1, "robin"),), (ball(1, "robin"),), (ball(1, "me"),), (ball(1),))
    assert found == [
        SeenAction("robin", "grab", "ball"),
        SeenAction("robin", "drop", "ball"),
        SeenAction("me", "grab", "ball"),
        SeenAction("me", "drop", "ball"),
    ]


def test_a_kick_is_of_the_agent_beside_it():
    far = Seen("suzy", (3.0, 0.0, 0.5), agent=True)
    assert seen((ball(1), robin(0.6), far), (ball(1.4), robin(0.6), far)) == [
        SeenAction("robin", "kick", "ball")
    ]


def test_no_kick():
    assert seen((ball(1), robin(0.6)), (ball(1.1), robin(0.6))) == []  # too slow
    assert seen((ball(1), robin(4.0)), (ball(1.4), robin(4.0))) == []  # nobody is near
    assert seen((ball(1, "robin"), robin(0.6)), (ball(1.4, "robin"), robin(0.6))) == []  # carried
    assert seen((ball(1, "robin"), robin(0.6)), (ball(1.4), robin(0.6))) == [
        SeenAction("robin", "drop", "ball")
    ]
    assert seen((ball(1, loose=False), robin(0.6)), (ball(1.4, loose=False), robin(0.6))) == []
    rolling = tuple((ball(1 + 0.4 * n), robin(0.6 + 0.4 * n)) for n in range(4))
    assert [action.name for action in seen(*rolling)].count("kick") == 1  # and no second one while it rolls


def test_what_is_out_of_sight_is_nobodys_deed():
    assert seen((ball(1), robin(0.6)), (ball(2, visible=False), robin(0.6)), (ball(3), robin(0.6))) == []


def test_a_way_is_told_when_it_ends_and_in_stretches():
    still = [(robin(0.5),)] * 4
    assert seen((robin(0),), (robin(0.1),), (robin(0.3),), *still) == [
        SeenAction("robin", "move", "", (0.0, 0.0, 0.5), (0.5, 0.0, 0.5))
    ]
    long = seen(*((robin(0.25 * n),) for n in range(10)))
    assert [action.name for action in long] == ["move", "move"]
    assert long[1].start == long[0].end
    assert seen((robin(0),), (robin(0.1),), *[(robin(0.1),)] * 4) == []  # a step to the side is no way


def test_looks_in_quick_succession_and_after_a_gap():
    assert seen((ball(1), robin(0.6)), (ball(1.01), robin(0.6)), every=0.01) == []
    assert seen((ball(1), robin(0.6)), (ball(2, "robin"), robin(0.6)), every=5.0) == []
