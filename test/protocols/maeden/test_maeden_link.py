# SPDX-License-Identifier: Apache-2.0
"""The link on a wire that says what a test says: what goes out when, and how the link ends."""

import pytest
from maeden_recordings import RECORDINGS

from embodiment_bridge.core.errors import CommandError, LinkError, LinkOverError
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.protocols.maeden import SPEC
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.conversation import QUEUE_LIMIT, Answer, Closed, NoReply, Tick
from embodiment_bridge.protocols.maeden.events import Act
from embodiment_bridge.protocols.maeden.link import make_link

STEP = Act("forward")
PAUSE = 60.0  # s, longer than an answer may take


class Wire:
    """A transport that says what a test says."""

    peer = "tcp://test"

    def __init__(self, *pieces):
        self.pieces = list(pieces)
        self.sent = []
        self.closed = False

    def read(self, timeout):
        piece = self.pieces.pop(0) if self.pieces else b""
        if isinstance(piece, Exception):
            raise piece
        return piece

    def write(self, data):
        self.sent.append(data)

    def close(self):
        self.closed = True


class Clock:
    """Each look is a tenth later."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.1
        return self.now


LINES = (RECORDINGS / "json2018/key_door.A0.s2c.raw").read_bytes().splitlines(True)


def link_of(wire, **parameters):
    values = {parameter.name: parameter.default for parameter in SPEC.parameters} | parameters
    return make_link(values, wire, Codec(values["dialect"]), Counters(), Clock())


def read_until(link, kind):
    for _ in range(200):
        for event in link.read(0.1):
            if isinstance(event, kind):
                return event
    raise AssertionError(f"no {kind.__name__}")


def test_link_tells_time_when_nothing_comes():
    assert isinstance(link_of(Wire()).read(0.01)[0], Tick)


def test_each_command_is_a_whole_line_in_one_write():
    wire = Wire(LINES[0], LINES[1])
    link = link_of(wire)
    read_until(link, Answer)
    assert link.write([STEP, Act("grab", "K")])
    wire.pieces.append(LINES[2])
    read_until(link, Answer)
    read_until(link, Tick)
    assert wire.sent == [b'{"command":"f","arguments":[]}\n', b'{"command":"g","arguments":["K"]}\n']


def test_an_answer_that_came_during_a_pause_of_ours_is_not_missing():
    wire = Wire(LINES[0], LINES[1])
    link = link_of(wire)
    read_until(link, Answer)
    assert link.write([STEP])
    wire.pieces.append(LINES[2])
    link._clock.now += PAUSE
    (answer,) = link.read(0.1)
    assert (type(answer), answer.command) == (Answer, STEP)
    assert [type(event) for _ in range(4) for event in link.read(0.1)] == [Tick] * 4
    assert wire.sent == [b'{"command":"f","arguments":[]}\n']


def test_an_answer_that_did_not_come_during_a_pause_of_ours_is_missing():
    link = link_of(Wire(LINES[0], LINES[1]))
    read_until(link, Answer)
    assert link.write([STEP])
    link._clock.now += PAUSE
    (missed,) = link.read(0.1)
    assert (type(missed), missed.command) == (NoReply, STEP)


def test_who_speaks_first_does_so_before_it_waits():
    wire = Wire()
    wire.read = lambda timeout: b"" if wire.sent else b"\n"
    link_of(wire, dialect="text").read(0.05)
    assert wire.sent == [b"base\n"]


def test_commands_that_cannot_be_sent_are_counted_not_sent():
    wire = Wire(LINES[0], LINES[1])
    link = link_of(wire)
    read_until(link, Answer)
    assert not link.write([Act("grab", "=")])
    with pytest.raises(CommandError):
        Codec().encode(Act("grab", "="))
    assert link.write([STEP] * (QUEUE_LIMIT + 5))
    assert wire.sent == [b'{"command":"f","arguments":[]}\n']


@pytest.mark.parametrize(("kill", "last"), [(True, [b'{"command":"k","arguments":[]}\n']), (False, [])])
def test_who_shall_be_taken_out_of_the_world_is(kill, last):
    wire = Wire(LINES[0], LINES[1])
    link = link_of(wire, kill_on_shutdown=kill)
    read_until(link, Answer)
    link.close()
    link.close()
    assert wire.sent == last
    assert wire.closed


def test_nobody_is_killed_who_is_not_there():
    wire = Wire()
    link_of(wire, kill_on_shutdown=True).close()
    assert wire.sent == []


def test_server_gone_half_way_is_closed_then_an_error():
    wire = Wire(LINES[0], LINES[1], b"", b"", b"", b"", LinkError("gone"))
    link = link_of(wire)
    assert read_until(link, Closed).reason == "gone"
    with pytest.raises(LinkError, match="gone"):
        link.read(0.1)


def test_end_after_an_ending_is_over_without_a_closed():
    wire = Wire(LINES[0], LINES[1], LINES[1].replace(b"CONTINUE", b"DIE"), LinkError("gone"))
    link = link_of(wire)
    assert read_until(link, Answer).percept.status == "DIE"
    with pytest.raises(LinkOverError, match="DIE"):
        read_until(link, Closed)
