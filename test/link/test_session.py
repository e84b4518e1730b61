# SPDX-License-Identifier: Apache-2.0
"""The session's life, on a loopback link with a made-up protocol of one byte per event."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from loopback import Loopback, loopback_pair
from waiting import THREAD

from embodiment_bridge.core.errors import CommandError, LinkError, LinkOverError
from embodiment_bridge.link.session import (
    FIRST_BACKOFF,
    LONGEST_BACKOFF,
    LinkStatus,
    Phase,
    Session,
    linked,
)
from embodiment_bridge.wire.codec import Malformed, Unknown


class ByteCodec:
    """Every byte is an event; ``?`` is unknown, ``!`` malformed; the command ``bad`` cannot be encoded."""

    def feed(self, data: bytes) -> list[Any]:
        kinds = {ord("?"): Unknown(0, b"?"), ord("!"): Malformed(0, "not a letter", "!")}
        return [kinds.get(byte, chr(byte)) for byte in data]

    def close(self) -> list[Any]:
        return []

    def encode(self, command: Any) -> bytes:
        if command == "bad":
            raise CommandError("bad is no command")
        return str(command).encode()


class EchoAgent:
    """Answers every letter with its capital; ``r`` is the sign of readiness; ``x`` is a fault of ours."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def handshake(self) -> Iterable[Any]:
        return ["hello"]

    def batch_received(self, count: int) -> str:
        return "late" if count > 5 else ""

    def perceive(self, event: Any) -> Any:
        return event

    def respond(self, event: Any) -> Iterable[Any]:
        if event == "x":
            raise ZeroDivisionError("a fault of ours")
        if event == "b":
            return ["bad", "ok"]
        return [event.upper()] if isinstance(event, str) else []

    def ready(self, event: Any) -> bool:
        return event == "r"

    def observe(self, event: Any) -> None:
        self.log.append(f"observed {event}" if isinstance(event, str) else type(event).__name__)

    def lost(self, reason: str) -> None:
        self.log.append(f"lost: {reason}")


class Peers:
    """Gives the session loopback links, or refuses where the plan says so; the test holds the other ends."""

    def __init__(self, plan: str) -> None:
        self.plan = list(plan)
        self.ends: list[Loopback] = []
        self.given: list[Loopback] = []
        self.arrived = threading.Semaphore(0)

    def connect(self) -> Loopback:
        if not self.plan or self.plan.pop(0) == "-":
            raise LinkError("tcp://nowhere:1: connection refused")
        ours, theirs = loopback_pair()
        self.ends.append(theirs)
        self.given.append(ours)
        self.arrived.release()
        return ours

    def take(self) -> Loopback:
        assert self.arrived.acquire(timeout=THREAD)
        return self.ends[-1]


class Watch:
    """Collects the session's states and lets a test wait for one."""

    def __init__(self) -> None:
        self.seen: list[LinkStatus] = []
        self.changed = threading.Condition()

    def __call__(self, status: LinkStatus) -> None:
        with self.changed:
            self.seen.append(status)
            self.changed.notify_all()

    def until(self, phase: Phase, times: int = 1) -> LinkStatus:
        with self.changed:
            assert self.changed.wait_for(lambda: self.count(phase) >= times, THREAD), self.phases()
            return [s for s in self.seen if s.phase is phase][times - 1]

    def count(self, phase: Phase) -> int:
        return sum(s.phase is phase for s in self.seen)

    def phases(self) -> list[str]:
        return [s.phase.name for s in self.seen]


class Rig:
    def __init__(self, plan: str, connect: Callable[[], Loopback] | None = None, **options: Any) -> None:
        self.peers, self.watch, self.agent = Peers(plan), Watch(), EchoAgent()
        self.pauses: list[float] = []
        self.session = Session(
            linked(connect or self.peers.connect, ByteCodec),
            self.agent,
            self.watch,
            peer="loopback",
            wait=self._wait,
            jitter=lambda: 0.0,
            **options,
        )

    def _wait(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return not self.peers.plan  # nothing left to try: the session ends

    def __enter__(self) -> "Rig":
        self.session.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.session.stop()
        assert not any(t.name == "session" for t in threading.enumerate())


def read(end: Loopback, length: int) -> bytes:
    data = b""
    while len(data) < length:
        got = end.read(THREAD)
        assert got, f"only {data!r} came"
        data += got
    return data


def test_greets_answers_and_becomes_ready() -> None:
    with Rig("+") as rig:
        peer = rig.peers.take()
        assert read(peer, 5) == b"hello"
        assert rig.watch.until(Phase.HANDSHAKE)
        peer.write(b"a")
        assert read(peer, 1) == b"A"
        assert rig.session.status.phase is Phase.HANDSHAKE
        peer.write(b"r")
        assert read(peer, 1) == b"R"
        assert rig.watch.until(Phase.READY).connects == 1
    assert rig.watch.phases() == ["CONNECTING", "HANDSHAKE", "READY", "CLOSED"]
    assert rig.session.counters.events == 2
    assert len(rig.session.counters.answer_times) == 2


def test_answer_leaves_before_anybody_observes() -> None:
    with Rig("+") as rig:
        peer = rig.peers.take()
        read(peer, 5)
        order: list[str] = []
        rig.agent.observe = lambda event: order.append(f"observed {event}")  # type: ignore[method-assign]
        transport = rig.peers.given[-1]
        write = transport.write
        transport.write = lambda data: (order.append(f"wrote {data!r}"), write(data))
        peer.write(b"a")
        read(peer, 1)
        peer.write(b"b")
        read(peer, 2)
    assert order == ["wrote b'A'", "observed a", "wrote b'ok'", "observed b"]


def test_lost_link_is_told_and_joined_again() -> None:
    with Rig("++") as rig:
        peer = rig.peers.take()
        peer.write(b"r")
        rig.watch.until(Phase.READY)
        peer.close()
        lost = rig.watch.until(Phase.BACKOFF)
        assert "closed by the peer" in lost.reason
        assert lost.retry_in == FIRST_BACKOFF
        rig.peers.take().write(b"r")
        assert rig.watch.until(Phase.READY, 2).connects == 2
    assert next(line for line in rig.agent.log if line.startswith("lost")).endswith("closed by the peer")


@pytest.mark.parametrize(("fault", "phase"), [(LinkError, Phase.BACKOFF), (LinkOverError, Phase.CLOSED)])
def test_nobody_sees_a_ready_link_any_more_when_its_loss_is_told(fault, phase) -> None:
    rig = Rig("+")
    seen: list[Phase] = []

    def fail(event: Any) -> Any:
        raise fault("gone")

    rig.agent.perceive = fail  # type: ignore[method-assign]
    rig.agent.lost = lambda reason: seen.append(rig.session.status.phase)  # type: ignore[method-assign]
    with rig:
        rig.peers.take().write(b"r")
        rig.watch.until(Phase.CLOSED)
    assert seen == [phase]


def test_back_off_grows_to_its_limit_and_starts_anew_after_success() -> None:
    rig = Rig("------+-")
    with rig:
        rig.peers.take().write(b"r")
        rig.watch.until(Phase.READY)
        rig.peers.ends[-1].close()
        rig.watch.until(Phase.CLOSED)
    assert rig.pauses[:3] == [1.0, LONGEST_BACKOFF, LONGEST_BACKOFF]
    assert rig.pauses[6] == FIRST_BACKOFF


def test_refusal_is_explained() -> None:
    with Rig("+", refusal="the number is taken") as rig:
        rig.peers.take().close()
        assert rig.watch.until(Phase.BACKOFF).reason.endswith(
            "closed by the peer before it answered: the number is taken"
        )


def test_silent_peer_is_given_up() -> None:
    times = iter(range(0, 100_000, 20))
    with Rig("+", handshake_timeout=15.0, clock=lambda: float(next(times))) as rig:
        rig.peers.take()
        assert "no answer within 15 s" in rig.watch.until(Phase.BACKOFF).reason


def test_peer_that_sends_much_at_once_counts_as_late_until_it_does_not() -> None:
    with Rig("+") as rig:
        peer = rig.peers.take()
        peer.write(b"r")
        assert rig.watch.until(Phase.READY).reason == ""
        peer.write(b"abcdef")
        assert rig.watch.until(Phase.READY, 2).reason == "late"
        peer.write(b"a")
        assert rig.watch.until(Phase.READY, 3).reason == ""
    assert rig.watch.phases() == ["CONNECTING", "HANDSHAKE", "READY", "READY", "READY", "CLOSED"]
    assert rig.session.counters.most_at_once == 6


def test_bad_input_and_bad_commands_cost_nothing_else() -> None:
    with Rig("+") as rig:
        peer = rig.peers.take()
        peer.write(b"r!?b")
        assert read(peer, 5 + 1 + 2) == b"helloRok"
        assert rig.session.status.phase is Phase.READY
    counters = rig.session.counters
    assert (counters.malformed, counters.unknown, counters.refused_commands) == (1, 1, 1)
    assert counters.last_error == "bad is no command"


def test_fault_of_ours_ends_the_connection_not_the_session() -> None:
    with Rig("++") as rig:
        rig.peers.take().write(b"rx")
        assert "ZeroDivisionError" in rig.watch.until(Phase.BACKOFF).reason
        assert "a fault of ours" in rig.session.counters.last_traceback
        rig.peers.take().write(b"r")
        rig.watch.until(Phase.READY, 2)


@pytest.mark.parametrize("before", ["connect", "ready"])
def test_stop_is_prompt(before: str) -> None:
    rig = Rig("+")
    with rig:
        peer = rig.peers.take()
        if before == "ready":
            peer.write(b"r")
            rig.watch.until(Phase.READY)
    assert rig.watch.seen[-1].phase is Phase.CLOSED


def test_stopped_while_it_connects_and_started_again_it_serves_once() -> None:
    go, (late, its_peer) = threading.Event(), loopback_pair()
    ways = iter([lambda: late if go.wait(THREAD) else None, lambda: rig.peers.connect()])
    rig = Rig("+", lambda: next(ways)())
    with rig:
        rig.watch.until(Phase.CONNECTING)
        first = next(thread for thread in threading.enumerate() if thread.name == "session")
        rig.session.stop(timeout=0.1)  # in vain, and so it is left to itself
        rig.session.start()
        peer = rig.peers.take()
        peer.write(b"r")
        rig.watch.until(Phase.READY)
        go.set()
        with pytest.raises(LinkError, match="closed by the peer"):
            its_peer.read(THREAD)
        first.join(THREAD)
        peer.write(b"a")
        assert read(peer, 5 + 2) == b"helloRA"
    assert rig.watch.phases() == ["CONNECTING", "CONNECTING", "HANDSHAKE", "READY", "CLOSED"]
    assert sum(line.startswith("lost") for line in rig.agent.log) == 1


def test_peer_that_was_told_nothing_is_left_without_a_word() -> None:
    ours, theirs = loopback_pair()

    def connect() -> Loopback:
        rig.session.stop()
        return ours

    rig = Rig("", connect, stay_for_answer=True)
    with rig, pytest.raises(LinkError, match="closed by the peer"):
        theirs.read(THREAD)
    assert rig.watch.phases() == ["CONNECTING", "CLOSED"]


@pytest.mark.parametrize("answers", [True, False])
def test_peer_that_makes_a_body_is_left_when_it_has_answered_or_never_does(answers, monkeypatch) -> None:
    monkeypatch.setattr("embodiment_bridge.link.session.POLL", 0.02)
    monkeypatch.setattr("embodiment_bridge.link.session.STAY", THREAD if answers else 6.0)
    rig = Rig("+", stay_for_answer=True)
    with rig:
        peer = rig.peers.take()
        assert read(peer, 5) == b"hello"
        stopping = threading.Thread(target=rig.session.stop, args=(0.2,))
        stopping.start()
        assert peer.read(1.0) == b""  # not closed
        if answers:
            peer.write(b"r")
        with pytest.raises(LinkError, match="closed by the peer"):
            peer.read(THREAD)
        stopping.join(THREAD)
        assert not stopping.is_alive()
    assert rig.watch.phases() == ["CONNECTING", "HANDSHAKE", "CLOSED"]


class QuietLink:
    """A link whose peer is ready, falls silent, speaks again and hangs up."""

    peer = "tcp://quiet:1"

    def __init__(self) -> None:
        self.arrived = 0.0
        self.silent = ""
        self._turns = iter(["", "no answer", "no answer", "", "no answer"])

    def read(self, timeout: float) -> list[Any]:
        turn = next(self._turns, None)
        if turn is None:
            raise LinkError("closed by the peer")
        self.silent = turn
        return ["r"]

    def write(self, commands: Iterable[Any]) -> bool:
        return bool(list(commands))

    def close(self) -> None:
        pass


def test_peer_that_falls_silent_is_told_once_and_is_ready_again_without_a_new_connection() -> None:
    told: list[LinkStatus] = []
    session = Session(lambda counters, clock: QuietLink(), EchoAgent(), told.append, wait=lambda _: True)
    session.run()
    assert [(status.phase, status.reason) for status in told] == [
        (Phase.CONNECTING, ""),
        (Phase.HANDSHAKE, ""),
        (Phase.READY, ""),
        (Phase.SILENT, "no answer"),
        (Phase.READY, ""),
        (Phase.SILENT, "no answer"),
        (Phase.BACKOFF, "closed by the peer"),
        (Phase.CLOSED, ""),
    ]
    assert {status.connects for status in told[2:]} == {1}
