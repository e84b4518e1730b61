# SPDX-License-Identifier: Apache-2.0
"""A question to servos ends in time, whatever others send, and finds its answers in whatever pieces they come."""

from collections import deque
from types import SimpleNamespace

import pytest
from driver_stage import servo

from embodiment_bridge.dynamixel.bus import making_safe
from embodiment_bridge.dynamixel.bus.client import Answer, BusClient
from embodiment_bridge.dynamixel.bus.making_safe import make_safe, safe_packets
from embodiment_bridge.dynamixel.bus.servo import make_servo
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.wire import packet

IDS = tuple(range(1, 9))
LOOK_S = 2e-5  # s that it takes to look at what has come
NEVER_S = 30.0
LIMIT_S = 0.2  # s for a question to eight servos: far more than the margins, far less than anybody notices


class Wire:
    """A wire with a clock of its own."""

    def __init__(self) -> None:
        self.now = 100.0
        self.written: list[bytes] = []

    def clock(self) -> float:
        return self.now

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def discard(self) -> int:
        return 0

    def client(self, *old: int, margin_s: float = 0.01) -> BusClient:
        return BusClient(
            self, 1_000_000, margin_s=margin_s, protocols=dict.fromkeys(old, 1), clock=self.clock
        )


class Babble(Wire):
    """Somebody sends ``data`` every ``pause`` s, for ever."""

    def __init__(self, data: bytes, pause: float) -> None:
        super().__init__()
        self.data, self.pause, self.next = data, pause, self.now

    def read(self, timeout: float) -> bytes:
        assert self.now < 100.0 + NEVER_S, "it never ends"
        self.now += LOOK_S
        if self.next > self.now + max(timeout, 0.0):
            self.now += max(timeout, 0.0)
            return b""
        self.now = max(self.now, self.next)
        self.next += self.pause
        return self.data


HEAD = packet.read(1, 64, 200)[:8]  # of a packet that does not come to its end
QUESTIONS = {
    "ping": lambda client: client.ping(1),
    "read": lambda client: client.read(1, 64, 10),
    "write": lambda client: client.write(1, 64, b"\0"),
    "sync": lambda client: client.sync_read(64, 10, IDS),
    "bulk": lambda client: client.bulk_read([(id, 64, 10) for id in IDS]),
    "fast": lambda client: client.fast_sync_read(64, 10, IDS),
    "settle": lambda client: client.settle(),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("old", [(), (1,)])
@pytest.mark.parametrize("data", [b"\0", b"\xff", HEAD, b"\xff\xff\xfd\0\xfe\xf0\x03\x55"])
@pytest.mark.parametrize("pause", [1e-5, 0.005, 0.009])
def test_a_question_ends_while_somebody_babbles(question, old, data, pause) -> None:
    wire = Babble(data, pause)
    QUESTIONS[question](wire.client(*old))
    assert wire.now - 100.0 < LIMIT_S


def test_a_search_for_all_ends_while_somebody_babbles() -> None:
    wire = Babble(b"\0", 0.005)
    assert wire.client().ping_all() == {}
    assert wire.now - 100.0 < 0.8


@pytest.mark.parametrize("pause", [1e-5, 0.005])
def test_torque_off_is_sent_first_and_the_end_comes_in_time_while_somebody_babbles(
    monkeypatch, pause
) -> None:
    wire = Babble(HEAD, pause)
    monkeypatch.setattr(making_safe, "time", SimpleNamespace(monotonic=wire.clock))
    servos = [make_servo(servo(id, model="xm430_w350"), table("xm430_w350")) for id in IDS]
    unsafe = make_safe(wire.client(), servos, wire.now + 1.0)
    assert wire.written[0] == safe_packets(servos)
    assert set(unsafe) == {f"j{id}" for id in IDS}
    assert wire.now - 100.0 < 1.0 + LIMIT_S


class Pieces(Wire):
    """After each question come the ``pieces``; looking at the first of them takes ``stall`` s."""

    def __init__(self, pieces: list[bytes], gap: float = 0.0, stall: float = 0.0) -> None:
        super().__init__()
        self.pieces, self.gap, self.stall = pieces, gap, stall
        self.coming: deque[tuple[float, bytes]] = deque()

    def write(self, data: bytes) -> None:
        super().write(data)
        self.coming.extend((self.now + self.gap * number, piece) for number, piece in enumerate(self.pieces))

    def read(self, timeout: float) -> bytes:
        if not self.coming or self.coming[0][0] > self.now + max(timeout, 0.0):
            self.now += max(timeout, 0.0)
            return b""
        when, data = self.coming.popleft()
        self.now = max(self.now, when)
        while self.coming and self.coming[0][0] <= self.now:
            data += self.coming.popleft()[1]
        self.now, self.stall = self.now + self.stall, 0.0
        return data


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


COMBINED = packet.fast_status([(id, 0, bytes((7, id))) for id in IDS])


@pytest.mark.parametrize(("gap", "stall"), [(0.0, 0.0), (0.009, 0.0), (0.001, 5.0)])
def test_answers_in_pieces_are_found_also_by_a_computer_that_stalls_meanwhile(gap, stall) -> None:
    """What has come meanwhile is looked at, although it is late."""
    answers = {id: packet.status(id, 0, bytes((7, id))) for id in IDS}
    found = Pieces(list(answers.values()), gap, stall).client().sync_read(64, 2, IDS)
    assert found == {id: Answer(0, bytes((7, id))) for id in IDS}
    assert Pieces(cut(COMBINED, 10), gap, stall).client().fast_sync_read(64, 2, IDS).raw == COMBINED


GOALS = packet.sync_write(30, 2, dict.fromkeys(IDS, bytes(2)), protocol=1)
READ = packet.read(1, 36, 6, protocol=1)
VALUES = bytes(range(6))
ANSWER = packet.status(1, 0, VALUES, protocol=1)


@pytest.mark.parametrize("held", [b"", GOALS])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8, 9, 12, 20, 1000])
@pytest.mark.parametrize("echoes", [True, False])
def test_an_old_servo_is_read_whether_the_adapter_echoes_or_not_and_in_whatever_pieces(
    held, size, echoes
) -> None:
    sent = held + READ if echoes else b""
    client = Pieces(cut(sent + ANSWER, size), 1e-4).client(1)
    client.hold(held)
    assert client.read(1, 36, 6) == Answer(0, VALUES)
    assert client.rejected == 0


@pytest.mark.parametrize("size", [1, 4, 7, 8, 1000])
def test_an_echo_alone_is_no_answer(size) -> None:
    client = Pieces(cut(GOALS + READ, size), 1e-4).client(1)
    client.hold(GOALS)
    assert client.read(1, 36, 6) is None
    assert client.counters[1].timeouts == 1
