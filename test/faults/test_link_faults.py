# SPDX-License-Identifier: Apache-2.0
"""Every fault of a link and of its other end, on every body that has one: calm joints, the reason, the way back."""

import errno
import os
import random
import re
import socket
from collections.abc import Callable
from itertools import count

import pytest
from link_peers import PEERS
from link_stage import Bridge

from embodiment_bridge.link.session import Phase
from embodiment_bridge.link.transports.tcp import TcpClient

BODIES = tuple(PEERS)
SOCCER = ("rcsssmj", "simspark")
BEGIN, END, LAST = 1.0, 2.5, 4.3  # s of virtual time: of the fault, and of the run
CALM = 0.1  # s: from percept to percept no joint goes further than at its full speed in this time
STILL_AFTER = 0.5  # s
BACK_WITHIN = 2.0  # s
SILENT_AFTER = {"rcsssmj": 5.0, "simspark": 5.0, "maeden": 7.0}  # s, with the parameters that users have
NUMBER = re.compile(rb"(?<=[ \[,])-?\d+(\.\d+)?(?=[ ,\])])")

every_body = pytest.mark.parametrize("body", BODIES)
soccer_bodies = pytest.mark.parametrize("body", SOCCER)


def while_faulty(mangle: Callable[[float, bytes], list[tuple[float, bytes]]]):
    """Between ``BEGIN`` and ``END`` messages become something else."""
    return lambda t, message: mangle(t, message) if BEGIN <= t < END else [(t, message)]


def frozen():
    """Every message is the first of them."""
    first: list[bytes] = []

    def mangle(t: float, message: bytes) -> list[tuple[float, bytes]]:
        first.append(message)
        return [(t, first[0])]

    return mangle


def goes_on(bridge: Bridge) -> None:
    """The link was never lost, joints stayed calm, and skills end well afterwards."""
    assert len(bridge.ready_at()) == 1, bridge.reasons()
    assert bridge.largest_step() <= CALM
    assert bridge.succeeded(since=END)


def comes_back(bridge: Bridge, peer_is_back: float) -> None:
    """The link was lost once and is there again within 2 s of the peer; joints stayed calm, and skills end well."""
    (_, again) = bridge.ready_at()
    assert peer_is_back <= again <= peer_is_back + BACK_WITHIN
    assert bridge.largest_step() <= CALM
    assert bridge.succeeded(since=again)
    assert bridge.phase is Phase.CLOSED  # by the end of the run


@pytest.mark.fault("lost", body=("rcsssmj", "simspark", "maeden"), reaction="goes on")
@every_body
def test_lost_messages(body) -> None:
    bridge, turn = Bridge(body), count()
    bridge.wire.mangle = while_faulty(lambda t, message: [(t, message)] if next(turn) % 3 else [])
    goes_on(bridge.run(LAST))


@pytest.mark.fault(
    "late", body=("rcsssmj", "simspark", "maeden"), reaction="goes on, by the time of the peer"
)
@every_body
def test_late_messages(body) -> None:
    bridge = Bridge(body)
    bridge.wire.mangle = while_faulty(lambda t, message: [(t + 0.3, message)])
    goes_on(bridge.run(LAST))


@pytest.mark.fault("frozen", body="rcsssmj", reaction="nothing moves while the time of the simulator stands")
def test_frozen_percepts_move_nothing() -> None:
    bridge = Bridge("rcsssmj")
    bridge.wire.mangle = while_faulty(frozen())
    goes_on(bridge.run(LAST))
    assert bridge.moved(BEGIN - STILL_AFTER, BEGIN)
    assert not bridge.moved(BEGIN + STILL_AFTER, END)


@pytest.mark.fault(
    "frozen", body="simspark", reaction="the robot was taken out: leaves, and joins again within 2 s"
)
def test_frozen_percepts_of_a_robot_that_was_taken_out() -> None:
    bridge, last = Bridge("simspark"), []

    def frozen(t: float, message: bytes) -> list[tuple[float, bytes]]:
        if t < BEGIN or len(bridge.joined) > 1:
            return [(t, message)]
        last.append(message)
        return [(t, last[0])]

    bridge.wire.mangle = frozen
    bridge.run(LAST)
    comes_back(bridge, BEGIN + 0.5)  # for so long the same percept may come again
    assert "repeats" in bridge.reasons()


@pytest.mark.fault("frozen", body="maeden", reaction="counts as no answer: skills fail with that reason")
def test_frozen_packets_are_no_answers() -> None:
    bridge = Bridge("maeden")
    bridge.wire.mangle = while_faulty(frozen())
    bridge.run(6.0)
    assert "no answer within 1.0 s" in bridge.reasons()
    assert bridge.succeeded(since=BEGIN + 0.2) == bridge.succeeded(since=END)
    goes_on(bridge)


@pytest.mark.fault(
    "not a number",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="counts as not sensed; targets stay finite",
)
@every_body
@pytest.mark.parametrize("bad", [b"nan", b"1e308"])
def test_numbers_that_are_none(body, bad) -> None:
    bridge, chance = Bridge(body), random.Random(1)

    def spoilt(found: re.Match[bytes]) -> bytes:
        return bad if chance.random() < 0.2 and found.start() > 30 else found[0]

    bridge.wire.mangle = while_faulty(lambda t, message: [(t, framed(NUMBER.sub(spoilt, unframed(message))))])
    bridge.run(LAST)
    assert bridge.largest_step() <= CALM
    assert bridge.succeeded(since=END), bridge.reasons()
    assert not bridge.session.counters.last_traceback


@pytest.mark.fault(
    "duplicated",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="goes on; a repeated message lets no time pass",
)
@every_body
def test_messages_that_come_twice(body) -> None:
    bridge = Bridge(body)
    bridge.wire.mangle = while_faulty(lambda t, message: [(t, message), (t, message)])
    goes_on(bridge.run(LAST))


@pytest.mark.fault(
    "reordered", body=("rcsssmj", "simspark"), reaction="goes on; a time that goes back counts as none"
)
@soccer_bodies
def test_messages_out_of_order(body) -> None:
    bridge, turn = Bridge(body), count()
    bridge.wire.mangle = while_faulty(lambda t, message: [(t + 0.03 * (next(turn) % 2), message)])
    goes_on(bridge.run(LAST))


@pytest.mark.fault("in bursts", body=("rcsssmj", "maeden"), reaction="goes on")
@pytest.mark.fault(
    "in bursts", body="simspark", reaction="goes on; the state of the link says that the server is late"
)
@every_body
def test_messages_in_bursts(body) -> None:
    bridge = Bridge(body)
    bridge.wire.mangle = while_faulty(lambda t, message: [((int(t * 2) + 1) / 2, message)])
    goes_on(bridge.run(LAST))
    assert ("came at once" in bridge.reasons()) is (body == "simspark")


@pytest.mark.fault(
    "cut",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="skills fail with the reason; joined again within 2 s",
)
@every_body
def test_a_link_that_is_cut_in_a_message(body) -> None:
    bridge = Bridge(body)

    def half(t: float, message: bytes) -> list[tuple[float, bytes]]:
        bridge.wire.cut = True
        return [(t, message[: len(message) // 2])]

    bridge.at(BEGIN, lambda: setattr(bridge.wire, "mangle", half))
    bridge.at(BEGIN + 0.2, lambda: setattr(bridge.wire, "mangle", lambda t, message: [(t, message)]))
    bridge.run(LAST)
    comes_back(bridge, BEGIN)
    assert "tcp://peer:1" in bridge.reasons()


@pytest.mark.fault(
    "stopped",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="nothing moves; the link is SILENT after 5 s (maeden: 2 s after its `reply_timeout`, 7 s by default) "
    "and goes on by itself",
)
@every_body
def test_a_peer_that_stands_still(body) -> None:
    bridge = Bridge(body, hurried=False)
    bridge.at(BEGIN, lambda: setattr(bridge.wire, "still", True))
    bridge.at(9.0, lambda: setattr(bridge.wire, "still", False))
    bridge.run(11.5)
    assert bridge.moved(BEGIN - STILL_AFTER, BEGIN)
    assert not bridge.moved(BEGIN + STILL_AFTER, 9.0)
    (silent,) = [t - BEGIN for t, status in bridge.told if status.phase is Phase.SILENT]
    assert SILENT_AFTER[body] <= silent <= SILENT_AFTER[body] + 0.3
    comes_back(bridge, 9.0)
    assert bridge.session.status.connects == 1


@pytest.mark.fault(
    "killed",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="nothing moves, skills fail with the reason; joined within 2 s of its return",
)
@every_body
def test_a_peer_that_is_killed(body) -> None:
    bridge = Bridge(body)
    bridge.at(BEGIN, bridge.wire.peer_program.begin_anew, lambda: gone(bridge, True))
    bridge.at(9.0, lambda: gone(bridge, False))
    bridge.run(12.5)
    assert not bridge.moved(BEGIN, 9.0)
    comes_back(bridge, 9.0)
    assert "refused" in bridge.reasons()


@pytest.mark.fault(
    "restarted",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="skills fail; joined within 2 s, from the new pose",
)
@every_body
def test_a_peer_that_is_started_again(body) -> None:
    bridge = Bridge(body)
    bridge.at(BEGIN, bridge.wire.peer_program.begin_anew, lambda: gone(bridge, True))
    bridge.at(BEGIN + 0.1, lambda: gone(bridge, False))
    bridge.run(LAST)
    comes_back(bridge, BEGIN)


@pytest.mark.fault(
    "clock jump",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="goes on as after a usual step, forwards and backwards",
)
@every_body
@pytest.mark.parametrize("by", [1000.0, -1000.0])
def test_the_clock_of_a_peer_jumps(body, by) -> None:
    bridge = Bridge(body)
    usual, jumped = max(-by, 0.0), max(by, 0.0)  # no clock of a peer is before zero
    bridge.wire.mangle = lambda t, message: [
        (t, bridge.wire.peer_program.with_time(message, jumped if BEGIN <= t < END else usual))
    ]
    goes_on(bridge.run(LAST))
    assert bridge.moved(BEGIN, BEGIN + STILL_AFTER)
    assert bridge.moved(BEGIN + STILL_AFTER, END)


@pytest.mark.fault(
    "no descriptors",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="told as the reason; joined within 2 s of when there are some",
)
@every_body
def test_no_descriptor_is_left_for_a_link(body, monkeypatch) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    bridge = Bridge(body)
    monkeypatch.setattr(socket, "create_connection", none_left)
    bridge.at(BEGIN, lambda: setattr(bridge.wire, "cut", True))
    bridge.at(BEGIN, lambda: setattr(bridge, "connect", lambda: TcpClient("127.0.0.1", 1)))
    bridge.at(END, lambda: setattr(bridge, "connect", bridge.wire.connect))
    bridge.run(END + 3.0)
    comes_back(bridge, END)
    assert "Too many open files" in bridge.reasons()


@pytest.mark.fault(
    "no memory",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="costs this connection: skills fail, joined again within 2 s",
)
@every_body
def test_no_memory_is_left_for_a_percept(body) -> None:
    bridge = Bridge(body)
    perceive = bridge.converter.body_state

    def out_of_memory(event: object) -> None:
        bridge.converter.body_state = perceive
        raise MemoryError

    bridge.at(BEGIN, lambda: setattr(bridge.converter, "body_state", out_of_memory))
    bridge.run(LAST)
    comes_back(bridge, BEGIN)
    assert "internal error: MemoryError()" in bridge.reasons()


def gone(bridge: Bridge, away: bool) -> None:
    bridge.wire.away = away
    bridge.wire.cut = True


def unframed(message: bytes) -> bytes:
    return message if message.endswith(b"\n") else message[4:]


def framed(payload: bytes) -> bytes:
    return payload if payload.endswith(b"\n") else len(payload).to_bytes(4, "big") + payload
