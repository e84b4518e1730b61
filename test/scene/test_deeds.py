# SPDX-License-Identifier: Apache-2.0
"""What others do, found in the changes of what is seen."""

from embodiment_bridge.scene.deeds import Deed, DeedWatcher, Seen


def ball(x: float, owner: str = "", **others) -> Seen:
    return Seen("ball", (x, 0.0, 0.1), owner=owner, **others)


def robin(x: float, y: float = 0.0) -> Seen:
    return Seen("robin", (x, y, 0.5), agent=True)


def deeds(*looks: tuple[Seen, ...], every: float = 0.25) -> list[Deed]:
    watcher = DeedWatcher()
    return [deed for number, look in enumerate(looks) for deed in watcher.look(look, 10.0 + every * number)]


def test_grab_and_drop_and_pass_on():
    found = deeds((ball(1),), (ball(1, "robin"),), (ball(1, "robin"),), (ball(1, "me"),), (ball(1),))
    assert found == [
        Deed("robin", "grab", "ball"),
        Deed("robin", "drop", "ball"),
        Deed("me", "grab", "ball"),
        Deed("me", "drop", "ball"),
    ]


def test_a_kick_is_of_the_agent_beside_it():
    far = Seen("suzy", (3.0, 0.0, 0.5), agent=True)
    assert deeds((ball(1), robin(0.6), far), (ball(1.4), robin(0.6), far)) == [Deed("robin", "kick", "ball")]


def test_no_kick():
    assert deeds((ball(1), robin(0.6)), (ball(1.1), robin(0.6))) == []  # too slow
    assert deeds((ball(1), robin(4.0)), (ball(1.4), robin(4.0))) == []  # nobody is near
    assert deeds((ball(1, "robin"), robin(0.6)), (ball(1.4, "robin"), robin(0.6))) == []  # carried
    assert deeds((ball(1, "robin"), robin(0.6)), (ball(1.4), robin(0.6))) == [Deed("robin", "drop", "ball")]
    assert deeds((ball(1, loose=False), robin(0.6)), (ball(1.4, loose=False), robin(0.6))) == []
    rolling = tuple((ball(1 + 0.4 * n), robin(0.6 + 0.4 * n)) for n in range(4))
    assert [deed.name for deed in deeds(*rolling)].count("kick") == 1  # and no second one while it rolls


def test_what_is_out_of_sight_is_nobodys_deed():
    assert deeds((ball(1), robin(0.6)), (ball(2, visible=False), robin(0.6)), (ball(3), robin(0.6))) == []


def test_a_way_is_told_when_it_ends_and_in_stretches():
    still = [(robin(0.5),)] * 4
    assert deeds((robin(0),), (robin(0.1),), (robin(0.3),), *still) == [
        Deed("robin", "move", "", (0.0, 0.0, 0.5), (0.5, 0.0, 0.5))
    ]
    long = deeds(*((robin(0.25 * n),) for n in range(10)))
    assert [deed.name for deed in long] == ["move", "move"]
    assert long[1].start == long[0].end
    assert deeds((robin(0),), (robin(0.1),), *[(robin(0.1),)] * 4) == []  # a step to the side is no way


def test_looks_in_quick_succession_and_after_a_gap():
    assert deeds((ball(1), robin(0.6)), (ball(1.01), robin(0.6)), every=0.01) == []
    assert deeds((ball(1), robin(0.6)), (ball(2, "robin"), robin(0.6)), every=5.0) == []
