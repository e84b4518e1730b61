# SPDX-License-Identifier: Apache-2.0
"""Runs a document on virtual ports, from event to event, with the failures and pauses that are wanted."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.debugging import Failures
from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.engine.loading import Rules, Source
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import NOWHERE, Outcome, RunEnding, RunState
from embodiment_bridge.behaviour.rehearsal.virtual_ports import (
    SpeechLength,
    VirtualMedia,
    VirtualRequests,
    VirtualSkills,
)
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml import Problem
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.core.errors import ConfigError

DEFAULT_UNTIL_S = 3600.0
GRACE_S = 0.0  # nothing comes late on a virtual clock
EXACT = Settings(grace_s=GRACE_S)
TICKS_AT_ONE_TIME = 10_000  # far more than any document needs; a guard against standing still
PAUSE_S = 1.0  # virtual time that passes outside the run while it is paused
ASSUMED_REPLY = '{"type": "delay", "duration": 0}'


Line = dict[str, object]  # one line of a dry run, a JSON object


@dataclass(frozen=True, slots=True)
class Cues:
    """Sets what happens around the document; times in s of the run's clock.

    media: lengths in s by URL.
    speech: the length of a spoken text, or a function of text and rate; None: a document with ``speak`` is REJECTED.
    replies: texts of fetched documents by URL.
    assume_replies: other requests are answered by a document that succeeds at once, with the warning NO_REPLY; else
        they fail.
    until: then a run is given up with the outcome ERROR.
    values: of the blackboard.
    failures: why nodes fail, by name or pointer.
    pauses: when the run is paused, and resumed a second later.
    cancel_at: when it is canceled; None: never.

    Raises:
        ConfigError: a time is not a finite number, 0 or more.
    """

    media: Mapping[str, float] = field(default_factory=dict)
    speech: SpeechLength | float | None = None
    replies: Mapping[str, str] = field(default_factory=dict)
    assume_replies: bool = False
    until: float = DEFAULT_UNTIL_S
    values: Mapping[str, Value] | None = None
    seed: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    pauses: tuple[float, ...] = ()
    cancel_at: float | None = None

    def __post_init__(self) -> None:
        for at in (*self.pauses, *(() if self.cancel_at is None else (self.cancel_at,))):
            if not (math.isfinite(at) and at >= 0.0):
                raise ConfigError(
                    f"a pause or cancel is at a finite time of 0 s or more after the start, not {at!r}"
                )


def rehearse(document: Source, rules: Rules, cues: Cues, settings: Settings = EXACT) -> Iterator[Line]:
    """Return the lines of ``dry_run``, under the rules and settings of a robot.

    Raises:
        ConfigError: a length is not a finite number, 0 or more.
        CommandError: a value cannot be on a blackboard.
    """
    return _Rehearsal(document, rules, cues, replace(settings, grace_s=GRACE_S)).lines()


class _Rehearsal:
    """Drives one run with virtual ports. ``_paused_s`` is how far the run's clock is behind that of the ports."""

    def __init__(self, document: Source, rules: Rules, cues: Cues, settings: Settings) -> None:
        self._cues = cues
        self._failures = Failures(cues.failures)
        self._requests = VirtualRequests(cues.replies, ASSUMED_REPLY if cues.assume_replies else "")
        self._ports = VirtualSkills(rules.skills), VirtualMedia(cues.media, cues.speech), self._requests
        self._run = Run(
            document,
            Ports(*self._ports),
            rules,
            settings=settings,
            blackboard=Blackboard(cues.values),
            seed=cues.seed,
            failures=self._failures,
        )
        self._pauses = sorted(set(cues.pauses))
        self._cancel_at = math.inf if cues.cancel_at is None else cues.cancel_at
        self._paused_s = 0.0
        self._told = 0  # replies that were assumed

    def lines(self) -> Iterator[Line]:
        """Run to the end."""
        last_t, t = -1.0, 0.0
        while last_t < t <= self._cues.until:
            yield from self._settle(t)
            yield from self._interrupt(t)
            if self._run.ending is not None:
                yield from self._conclude(self._run.ending)
                return
            last_t, t = t, self._next_time()
        yield _last_line(_given_up(self._cues.until, t))

    def _next_time(self) -> float:
        """Return the next time of the run's clock, s."""
        ports = (port.next_time() - self._paused_s for port in self._ports)
        wanted = (*self._pauses[:1], self._cancel_at)
        return min(self._run.next_time(), *ports, *wanted)

    def _settle(self, t: float) -> Iterator[Line]:
        """Tick at one virtual time until nothing more happens at it."""
        now = self._advance_ports(t)
        for _ in range(TICKS_AT_ONE_TIME):
            slices = self._run.slices
            state = self._run.tick(now)
            building = state is RunState.LOADING or self._run.slices > slices
            events = self._run.take_events()
            yield from map(_line, events)
            yield from self._tell_assumed(t)
            if state in (RunState.ENDED, RunState.PAUSED) or not (events or building):
                return

    def _advance_ports(self, t: float) -> float:
        """Tell the ports their time, which also passes while the run is paused."""
        now = t + self._paused_s
        for port in self._ports:
            port.advance_to(now)
        return now

    def _interrupt(self, t: float) -> Iterator[Line]:
        """Pause and resume, or cancel, when it is time to."""
        while self._pauses and self._pauses[0] <= t and self._run.state is RunState.RUNNING:
            del self._pauses[0]
            self._run.pause()
            active = [origin.pointer for origin in self._run.active()]
            yield {"t": _rounded(t), "event": "paused", "node": "", "type": "run", "active": active}
            yield from self._settle(t)
            self._paused_s += PAUSE_S
            self._advance_ports(t)
            self._run.resume()
            yield {"t": _rounded(t), "event": "resumed", "node": "", "type": "run"}
            yield from self._settle(t)
        if self._cancel_at <= t and self._run.ending is None:
            self._cancel_at = math.inf
            self._run.cancel(f"canceled at {t:g} s, as the rehearsal wants it")
            yield from self._settle(t)

    def _tell_assumed(self, t: float) -> Iterator[Line]:
        for url in self._requests.assumed[self._told :]:
            text = f"the reply of {url} is not known and taken for one that succeeds at once; --reply URL=FILE gives it"
            yield _warning(t, "NO_REPLY", text)
        self._told = len(self._requests.assumed)

    def _conclude(self, ending: RunEnding) -> Iterator[Line]:
        yield from map(_problem_line, self._run.problems)
        if ending.outcome is not Outcome.REJECTED:
            for at in (*self._pauses, *(() if self._cancel_at == math.inf else (self._cancel_at,))):
                text = f"the run ended before {at:g} s, at which it was to be paused or canceled"
                yield _warning(ending.t, "NOT_REACHED", text)
            for node in self._failures.missed:
                text = f"no node {node!r} began, which was to fail"
                yield _warning(ending.t, "NOT_REACHED", text)
        yield _last_line(ending)


def _given_up(until: float, next_t: float) -> RunEnding:
    reason = f"still running after {until:g} s; --until SECONDS sets the limit"
    if next_t == math.inf:
        reason = "still running, and nothing is going to happen any more (is the player paused for good?)"
    elif next_t <= until:
        reason = f"the run stands still at {next_t:g} s; that is a fault of this program"
    return RunEnding(Outcome.ERROR, min(until, next_t), reason)


def _line(event: Transition) -> Line:
    origin = event.origin
    line = {"t": _rounded(event.t), "event": event.event, "node": origin.pointer, "type": origin.kind}
    optional = {
        "name": origin.name,
        "code": event.code,
        "message": event.message,
        "document": origin.document,
    }
    return line | {key: value for key, value in optional.items() if value}


def _warning(t: float, code: str, message: str) -> Line:
    where = {"t": _rounded(t), "event": "warning", "node": "", "type": "run"}
    return where | {"code": code, "message": message}


def _problem_line(problem: Problem) -> Line:
    where = {"t": 0.0, "event": "problem", "node": problem.pointer}
    return where | {"code": problem.code, "message": problem.message}


def _last_line(ending: RunEnding) -> Line:
    line: Line = {"outcome": ending.outcome.value, "t": _rounded(ending.t)}
    if ending.outcome is not Outcome.SUCCEEDED:
        line["reason"] = ending.reason
        if ending.origin is not NOWHERE:
            line["node"] = ending.origin.pointer
    return line


def _rounded(t: float) -> float:
    """Round to microseconds: sums of decimal fractions have noise behind that."""
    return round(t, 6)
