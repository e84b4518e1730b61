# SPDX-License-Identifier: Apache-2.0
"""The parts of the guardian's program, in this process: what it waits for, and what it then writes."""

import os
import signal
import threading
import time
from contextlib import suppress

import pytest

from embodiment_bridge.dynamixel.bus import guardian_program
from embodiment_bridge.dynamixel.bus.guardian_program import main, make_safe, process_handle, wait

NOBODY = 0  # no process has this number
END = bytes(4)  # an order


def order(packets: bytes) -> bytes:
    return len(packets).to_bytes(4, "little") + packets


def waited(*chunks: bytes, driver: int = NOBODY) -> bytes:
    """What ``wait`` returns when ``chunks`` come through the pipe one by one, and the pipe then breaks."""
    reader, orders = os.pipe()
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(wait(reader, driver)))
    thread.start()
    try:
        with suppress(BrokenPipeError):
            for chunk in chunks:
                os.write(orders, chunk)
                time.sleep(0.01)  # mostly read by itself; nothing depends on it
    finally:
        os.close(orders)
        thread.join()
        os.close(reader)
    return found[0]


LONG = b"x" * 300
OF_256 = b"y" * 256


@pytest.mark.parametrize(
    ("chunks", "packets"),
    [
        ([], b""),
        ([order(b"safe")], b"safe"),
        ([order(b"older") + order(b"newer")], b"newer"),
        ([order(b"older"), order(b"newer")], b"newer"),
        ([order(b"safe"), b"\5\0"], b"safe"),
        ([order(b"safe"), order(b"unfinished")[:-1]], b"safe"),
        ([order(b"safe")[:2], order(b"safe")[2:5], order(b"safe")[5:]], b"safe"),
        ([order(LONG)], LONG),
        ([order(OF_256)], OF_256),
        ([order(b"a")], b"a"),
        ([order(b"safe") + END], b""),
        ([order(b"safe"), END], b""),
        ([END + order(b"safe")], b""),
        ([b"\0\0\0"], b""),
    ],
)
def test_the_last_whole_packets_are_sent_unless_the_driver_says_that_it_has(chunks, packets) -> None:
    assert waited(*chunks) == packets


def test_the_end_of_a_driver_ends_the_wait_although_the_pipe_is_whole(monkeypatch) -> None:
    """A child of the driver may still have a copy of the pipe."""
    handle, driver = os.pipe()
    monkeypatch.setattr(guardian_program, "process_handle", lambda _: [handle])
    reader, orders = os.pipe()
    os.write(orders, order(b"safe"))
    threading.Timer(0.05, os.close, [driver]).start()
    assert wait(reader, NOBODY) == b"safe"
    for file in (handle, reader, orders):
        os.close(file)


def test_a_computer_that_leaves_no_time_does_not_leave_it_at_one_packet(monkeypatch) -> None:
    monkeypatch.setattr(guardian_program, "LAST_S", 0.0)
    reader, port = os.pipe()
    make_safe(port, b"safe")
    os.close(port)
    with os.fdopen(reader, "rb") as file:
        assert file.read() == b"safe" * 5


def test_only_the_parent_can_be_the_driver() -> None:
    (handle,) = process_handle(os.getppid())
    os.close(handle)
    assert process_handle(os.getpid()) == []
    assert process_handle(NOBODY) == []


def test_without_such_handles_the_pipe_alone_tells(monkeypatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    assert process_handle(os.getppid()) == []


class Clock:
    """Goes on only while somebody sleeps."""

    def __init__(self, monkeypatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "sleep", self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now = round(self.now + seconds, 6)


def test_packets_are_written_for_a_while_also_where_the_port_takes_none_now(monkeypatch) -> None:
    clock, tries = Clock(monkeypatch), []

    def write(port: int, data: bytes) -> int:
        tries.append((port, data))
        if len(tries) % 2:
            raise BlockingIOError
        return len(data)

    monkeypatch.setattr(os, "write", write)
    make_safe(7, b"safe")
    assert tries == [(7, b"safe")] * 15
    assert clock.now == pytest.approx(100.3)


def test_a_port_that_is_gone_ends_it_at_once(monkeypatch) -> None:
    clock, tries = Clock(monkeypatch), []

    def write(*_: object) -> int:
        tries.append(1)
        raise OSError("unplugged")

    monkeypatch.setattr(os, "write", write)
    make_safe(7, b"safe")
    assert (len(tries), clock.now) == (1, 100.0)


@pytest.mark.parametrize(("packets", "port"), [(b"", []), (b"safe", [(7, b"safe")])])
def test_it_ignores_all_signals_that_can_be_ignored_and_writes_if_there_is_something(
    monkeypatch, packets, port
) -> None:
    ignored, wrote = {}, []
    monkeypatch.setattr(signal, "signal", lambda number, how: ignored.update({number: how}))
    monkeypatch.setattr(guardian_program, "wait", lambda orders, driver: packets)
    monkeypatch.setattr(guardian_program, "make_safe", lambda *words: wrote.append(words))
    main(7, 8, 9)
    assert set(ignored) == signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    assert set(ignored.values()) == {signal.SIG_IGN}
    assert wrote == port
