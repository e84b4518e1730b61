# SPDX-License-Identifier: Apache-2.0
"""One thread serves all connections: answers first, each connection ends alone, and the thread ends with the last."""

import contextlib
import socket
import threading

import pytest
from waiting import THREAD

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link import link_loop
from embodiment_bridge.link.link_loop import LinkLoop


class Pair:
    """A connection that a loop serves on a thread of its own; ``steps`` has what happened on all connections."""

    def __init__(self, loop: LinkLoop, name: str, steps: list[str], error: Exception | None = None) -> None:
        self.near, self.far = socket.socketpair()
        self._name, self._steps, self._error = name, steps, error
        self.raised: Exception | None = None
        self.threads: set[threading.Thread] = set()
        self.thread = threading.Thread(target=self._serve, args=(loop,), daemon=True)
        self.thread.start()

    def _serve(self, loop: LinkLoop) -> None:
        try:
            loop.serve(self.near.fileno(), self._answer, lambda: self._steps.append(f"{self._name} told"))
        except Exception as error:  # noqa: BLE001 - looked at by the test
            self.raised = error

    def _answer(self, woken: float) -> bool:
        self.threads.add(threading.current_thread())
        self.near.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            data = self.near.recv(100)
            self._steps.append(f"{self._name} answered")
            if self._error:
                raise self._error
            self.near.send(data)
            return data != b"end"
        return True

    def end(self) -> None:
        self.far.send(b"end")
        self.join()

    def join(self) -> None:
        self.thread.join(THREAD)
        assert not self.thread.is_alive()
        self.near.close()
        self.far.close()


def heard(pair: Pair) -> bytes:
    pair.far.settimeout(THREAD)
    return pair.far.recv(100)


def test_one_thread_serves_all_and_ends_with_the_last() -> None:
    loop, steps = LinkLoop(), []
    pairs = [Pair(loop, name, steps) for name in "abc"]
    for pair in pairs:
        pair.far.send(b"hello")
        assert heard(pair) == b"hello"
    (thread,) = set.union(*(pair.threads for pair in pairs))
    for pair in pairs:
        pair.end()
    assert [pair.raised for pair in pairs] == [None] * 3
    thread.join(THREAD)
    assert not thread.is_alive()


def test_all_are_answered_before_anything_is_told(monkeypatch) -> None:
    monkeypatch.setattr(link_loop, "LOOK_S", THREAD)  # what is only asked whether it goes on is told, too
    loop, steps, held, release = LinkLoop(), [], threading.Event(), threading.Event()

    def hold(woken: float) -> bool:
        gate.recv(1)
        held.set()
        return not release.wait(THREAD)

    gate, opener = socket.socketpair()
    holder = threading.Thread(target=loop.serve, args=(gate.fileno(), hold, lambda: None), daemon=True)
    pairs = [Pair(loop, name, steps) for name in "ab"]
    for pair in pairs:
        pair.far.send(b"1")
        heard(pair)
    opener.send(b"1")
    holder.start()
    assert held.wait(THREAD)
    steps.clear()
    for pair in pairs:
        pair.far.send(b"2")
    release.set()
    for pair in pairs:
        heard(pair)
        pair.end()
    holder.join(THREAD)
    gate.close()
    opener.close()
    assert sorted(steps[:2]) == ["a answered", "b answered"]
    assert {"a told", "b told"} == set(steps[2:4])


def test_an_error_ends_its_connection_alone() -> None:
    loop, steps = LinkLoop(), []
    good, bad = Pair(loop, "good", steps), Pair(loop, "bad", steps, OSError("broken"))
    bad.far.send(b"1")
    bad.join()
    assert repr(bad.raised) == "OSError('broken')"
    good.far.send(b"2")
    assert heard(good) == b"2"
    good.end()


def test_a_connection_that_is_closed_already() -> None:
    near, far = socket.socketpair()
    number = near.fileno()
    near.close()
    far.close()
    for wrong in (number, -1):
        with pytest.raises(LinkError, match="the connection was closed"):
            LinkLoop().serve(wrong, lambda woken: True, lambda: None)
