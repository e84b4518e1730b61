# SPDX-License-Identifier: Apache-2.0
"""A second fault of a link while the first one lasts, where one changes what the other does."""

from collections.abc import Callable
from itertools import count

import pytest
from link_peers import PEERS
from link_stage import Bridge
from test_link_faults import BEGIN, END, LAST, STILL_AFTER, comes_back, goes_on, gone, while_faulty

from embodiment_bridge.link.session import Phase

BACK = 9.0  # s of virtual time: after the link counts as silent


def half_a_message_and_then_nothing(bridge: Bridge) -> float:
    """The other half comes when the peer goes on."""
    halves: list[bytes] = []

    def half(t: float, message: bytes) -> list[tuple[float, bytes]]:
        if t < BEGIN or halves:
            return [(t, message)]
        halves.append(message)
        bridge.wire.still = True
        middle = len(message) // 2
        return [(t, message[:middle]), (BACK, message[middle:])]

    bridge.wire.mangle = half
    bridge.at(BACK, lambda: setattr(bridge.wire, "still", False))
    return BACK


def killed_while_it_stood_still(bridge: Bridge) -> float:
    bridge.at(BEGIN, lambda: setattr(bridge.wire, "still", True))
    bridge.at(7.0, bridge.wire.peer_program.begin_anew, lambda: gone(bridge, True))
    bridge.at(BACK, lambda: gone(bridge, False), lambda: setattr(bridge.wire, "still", False))
    return BACK


def killed_in_a_burst(bridge: Bridge) -> float:
    bridge.wire.mangle = while_faulty(lambda t, message: [((int(t * 2) + 1) / 2, message)])
    bridge.at(BEGIN + 0.7, bridge.wire.peer_program.begin_anew, lambda: gone(bridge, True))
    bridge.at(BACK, lambda: gone(bridge, False))
    return BACK


def started_again_with_another_clock(bridge: Bridge) -> float:
    """It had run for long."""
    bridge.wire.mangle = lambda t, message: [
        (t, bridge.wire.peer_program.with_time(message, 1000.0) if t < BEGIN else message)
    ]
    bridge.at(BEGIN, bridge.wire.peer_program.begin_anew, lambda: gone(bridge, True))
    bridge.at(BACK, lambda: gone(bridge, False))
    return BACK


PAIRS = (
    half_a_message_and_then_nothing,
    killed_while_it_stood_still,
    killed_in_a_burst,
    started_again_with_another_clock,
)


@pytest.mark.fault(
    "two at once",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="half a message and then nothing, killed while it stood still or in a burst, back with another clock:"
    " nothing moves, and joined within 2 s",
)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("body", PEERS)
def test_a_fault_within_a_fault(body, pair: Callable[[Bridge], float]) -> None:
    bridge = Bridge(body)
    back = pair(bridge)
    bridge.run(back + 2.5)
    assert bridge.moved(BEGIN - STILL_AFTER, BEGIN)
    assert not bridge.moved(BEGIN + 0.7 + STILL_AFTER, back)
    if pair in (half_a_message_and_then_nothing, killed_while_it_stood_still):
        assert [status.phase for _, status in bridge.told].count(Phase.SILENT) == 1
    comes_back(bridge, back)


@pytest.mark.fault(
    "two at once",
    body=("rcsssmj", "simspark"),
    reaction="in bursts, twice and out of order: goes on",
)
@pytest.mark.parametrize("body", ["rcsssmj", "simspark"])
def test_bursts_of_messages_that_come_twice_and_out_of_order(body) -> None:
    bridge, turn = Bridge(body), count()
    bridge.wire.mangle = while_faulty(
        lambda t, message: [((int(t * 2) + 1) / 2 + 0.03 * (next(turn) % 2), message)] * 2
    )
    goes_on(bridge.run(LAST))
    assert bridge.moved(END + STILL_AFTER, LAST)
