# SPDX-License-Identifier: Apache-2.0
"""A link of a process that stands still now and then: what has come meanwhile is not late. On a clock of the test."""

from maeden_recordings import RECORDINGS

from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.protocols.maeden import SPEC
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.conversation import Answer, NoReply
from embodiment_bridge.protocols.maeden.events import Act
from embodiment_bridge.protocols.maeden.link import make_link

LINES = (RECORDINGS / "json2018/key_door.A0.s2c.raw").read_bytes().splitlines(True)
STEP = Act("forward")
PAUSE = 20.0  # s: longer than an answer may take


class Line:
    """A transport on which time passes only where the link waits for something."""

    peer = "tcp://test"

    def __init__(self, *pieces: bytes) -> None:
        self.now = 0.0
        self.pieces = list(pieces)
        self.sent: list[bytes] = []

    def read(self, timeout: float) -> bytes:
        if self.pieces:
            return self.pieces.pop(0)
        self.now += timeout
        return b""

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def close(self) -> None:
        pass


def joined():
    """A link whose agent is there, and its line."""
    line = Line(LINES[0], LINES[1])
    values = {parameter.name: parameter.default for parameter in SPEC.parameters}
    link = make_link(values, line, Codec("auto"), Counters(), lambda: line.now)
    assert told(link, 20)[-1].command is None
    return link, line


def told(link, times: int) -> list[Answer | NoReply]:
    """The answers of so many reads, given or missed."""
    events = (event for _ in range(times) for event in link.read(0.05))
    return [event for event in events if isinstance(event, (Answer, NoReply))]


def test_an_answer_that_lay_there_in_a_pause_is_taken() -> None:
    link, line = joined()
    assert link.write([STEP])
    line.pieces.append(LINES[2])
    line.now += PAUSE
    (answer,) = told(link, 5)
    assert (type(answer), answer.command) == (Answer, STEP)


def test_an_answer_that_does_not_lie_there_after_a_pause_is_missed() -> None:
    link, line = joined()
    assert link.write([STEP])
    line.now += PAUSE
    (missed,) = told(link, 1)
    assert (type(missed), missed.command) == (NoReply, STEP)


def test_who_speaks_first_does_so_before_it_waits() -> None:
    line = Line()
    values = {parameter.name: parameter.default for parameter in SPEC.parameters} | {"dialect": "text"}
    link = make_link(values, line, Codec("text"), Counters(), lambda: line.now)
    line.read = lambda timeout: b"" if line.sent else b"\n"
    link.read(0.05)
    assert line.sent == [b"base\n"]
