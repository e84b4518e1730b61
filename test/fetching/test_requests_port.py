# SPDX-License-Identifier: Apache-2.0
"""The port of request nodes: it never waits, and what a thread does or does not do harms nobody."""

import threading
import time

import pytest
from waiting import until

from embodiment_bridge.behaviour.engine.ports import FetchStatus
from embodiment_bridge.fetching import FetchError, Reply
from embodiment_bridge.fetching.requests import AT_ONCE, MAX_WAITING, Requests


class Server:
    """Answers when told to."""

    def __init__(self):
        self.answers = threading.Event()
        self.asked = []
        self.result = Reply("音".encode(), "application/json")

    def fetch(self, url, *, max_bytes, total_s, cancelled):
        self.asked.append(url)
        while not self.answers.wait(0.005):
            if cancelled():
                raise FetchError("CANCELED", "given up")
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def read(text):
    return f"the document {text}"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def port(server, clock):
    made = Requests(server.fetch, total_s=1.0, max_bytes=100, now=clock)
    yield made
    made.close()


def ended(port, name):
    reports = []  # it forgets a fetch whose end was reported

    def over():
        reports.append(port.report(name))
        return reports[-1].status.ended

    until(over)
    return reports[-1]


def test_a_reply(port, server):
    port.start("a", "u", read)
    assert port.report("a").status is FetchStatus.RUNNING
    server.answers.set()
    report = ended(port, "a")
    assert (report.status, report.text, report.document) == (FetchStatus.DONE, "音", "the document 音")
    assert server.asked == ["u"]


def test_it_is_read_on_the_thread_of_its_fetch(port, server):
    """A large one takes tenths of a second, in which a tick would hold up all that the node does."""
    goes_on, readers = threading.Event(), []

    def slow(text):
        readers.append(threading.current_thread())
        goes_on.wait(10.0)
        return text

    server.answers.set()
    port.start("a", "u", slow)
    deadline = time.monotonic() + 10.0
    while not readers:
        assert time.monotonic() < deadline
        assert port.report("a").status is FetchStatus.RUNNING
    assert port.report("a").status is FetchStatus.RUNNING
    goes_on.set()
    assert ended(port, "a").status is FetchStatus.DONE
    assert readers[0] is not threading.current_thread()


def test_a_fault_of_reading_fails_the_fetch(port, server):
    def broken(text):
        raise ZeroDivisionError(text)

    server.answers.set()
    port.start("a", "u", broken)
    report = ended(port, "a")
    assert (report.status, report.reason) == (FetchStatus.FAILED, "ZeroDivisionError: 音")


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (FetchError("WRONG_TYPE", "text/html"), "WRONG_TYPE: text/html"),
        (Reply(b"\xff", ""), "NOT_UTF8: not UTF-8, at byte 0 (looks like Latin-1)"),
        (RuntimeError("a fault"), "RuntimeError: a fault"),
    ],
)
def test_a_failure(port, server, result, reason):
    server.result = result
    server.answers.set()
    port.start("a", "u", read)
    report = ended(port, "a")
    assert (report.status, report.reason) == (FetchStatus.FAILED, reason)


def test_a_cancel_is_complete_at_once(port):
    port.start("a", "u", read)
    port.cancel("a")
    assert port.report("a").status is FetchStatus.CANCELED
    port.cancel("a")
    port.cancel("never was")
    assert port.report("a").status is FetchStatus.FAILED


def test_fetches_begin_half_a_second_apart(port, server, clock):
    """A loop of requests cannot press a server, however fast its replies come."""
    server.answers.set()
    port.start("a", "u", read)
    ended(port, "a")
    port.start("b", "u", read)
    clock.now = 0.4
    assert port.report("b").status is FetchStatus.RUNNING
    assert len(server.asked) == 1
    clock.now = 0.5
    ended(port, "b")
    assert len(server.asked) == 2


@pytest.fixture
def fetches():
    """The threads of fetches of this test."""
    before = threading.enumerate()
    return lambda: [
        one for one in threading.enumerate() if one.name == "document fetch" and one not in before
    ]


def test_a_fetch_begins_once_and_never_after_its_cancel(fetches, port, clock):
    port.start("a", "u", read)
    port.start("b", "u", read)
    port.cancel("b")
    clock.now = 1.0
    assert port.report("a").status is FetchStatus.RUNNING
    (one,) = fetches()
    assert one.daemon, "a process would wait for it at its end"


def test_few_at_once_and_few_waiting(fetches, port, server, clock):
    for number in range(AT_ONCE + MAX_WAITING + 1):
        clock.now += 1.0
        port.start(str(number), "u", read)
    assert port.report(str(AT_ONCE + MAX_WAITING - 1)).status is FetchStatus.RUNNING
    assert port.report(str(AT_ONCE + MAX_WAITING)).reason.startswith("BUSY")
    assert len(fetches()) == AT_ONCE
    assert len(server.asked) <= AT_ONCE
    clock.now += 1.0
    server.answers.set()
    ended(port, "0")


def test_closing_gives_up_what_is_under_way(port):
    port.start("a", "u", read)
    port.close()
    assert "no such fetch" in port.report("a").reason
