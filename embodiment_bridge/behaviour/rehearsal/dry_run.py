# SPDX-License-Identifier: Apache-2.0
"""A document run without a body: what would happen when, computed on a virtual clock from event to event."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.engine.loading import Rules, Source
from embodiment_bridge.behaviour.engine.outcome import NOWHERE, Outcome, RunEnding, RunState
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_media import VirtualMedia, VirtualRequests
from embodiment_bridge.behaviour.rehearsal.virtual_skills import VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.document import Problem
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import SkillInfo

DEFAULT_UNTIL_S = 3600.0
EXACT = Settings(grace_s=0.0)  # nothing comes late on a virtual clock
TICKS_AT_ONE_TIME = 10_000  # far more than any document needs; a guard against standing still


def dry_run(
    document: Source,
    skills: Mapping[str, SkillInfo],
    *,
    media: Mapping[str, float] | None = None,
    speech: float | None = None,
    replies: Mapping[str, str] | None = None,
    until: float = DEFAULT_UNTIL_S,
    strict: bool = False,
    urls: UrlPolicy | None = None,
    subtrees: Mapping[str, str | bytes] | None = None,
    values: Mapping[str, Value] | None = None,
    seed: int = 0,
    missing_channel: str = "skip",
) -> Iterator[dict[str, Any]]:
    """Run a document without body, player or network, as fast as the machine can.

    Body actions take their slot but not less than ``min_s``, without a slot ``nominal_s``; a fetch takes
    0.2 s.

    Args:
        document: JSON text, or a document that was read before.
        skills: of the body, by lower-case name.
        media: lengths in s by URL; a play of any other URL fails with MEDIA_LENGTH_UNKNOWN.
        speech: length in s of a spoken text; None: a document with ``speak`` is REJECTED.
        replies: text of fetched documents by URL; a request of any other URL fails.
        until: virtual s after which a run that has not ended is given up with the outcome ERROR.
        strict: refuse the tolerated spellings.
        urls: which URLs are allowed.
        subtrees: texts of the documents that ``subtree`` nodes may name.
        values: what is on the blackboard at the beginning.
        seed: of all that is drawn at random.
        missing_channel: see ``Settings``.

    Yields:
        One line per event, ``{"t": s, "event": ..., "node": JSON pointer, "type": ..., ...}`` with ``name``,
        ``message`` and ``code`` where there are such, and ``document`` (a running number) for fetched ones;
        for a rejected document one ``problem`` line each. Last ``{"outcome": ..., "t": s}``, with ``reason``
        and ``node`` unless it is SUCCEEDED. ``t`` is scheduled time.

    Raises:
        ConfigError: a length is not a finite number, 0 or more.
        CommandError: a value cannot be on a blackboard.
    """
    player = VirtualMedia({} if media is None else media, speech)
    bodies = VirtualSkills(skills), player, VirtualRequests({} if replies is None else replies)
    rules = Rules(skills, urls or UrlPolicy(), strict, subtrees=subtrees or {})
    settings = replace(EXACT, missing_channel=missing_channel)
    run = Run(document, Ports(*bodies), rules, settings=settings, blackboard=Blackboard(values), seed=seed)
    last_t, t = -1.0, 0.0
    while last_t < t <= until:
        for port in bodies:
            port.advance_to(t)
        yield from _settle(run, t)
        if run.ending is not None:
            yield from map(_problem_line, run.problems)
            yield _last_line(run.ending)
            return
        last_t, t = t, min(run.next_time(), *(port.next_time() for port in bodies))
    yield _last_line(_given_up(until, t))


def _settle(run: Run, t: float) -> Iterator[dict[str, Any]]:
    """Tick at one virtual time until nothing more happens at it."""
    for _ in range(TICKS_AT_ONE_TIME):
        state = run.tick(t)
        events = run.take_events()
        yield from map(_line, events)
        if state is RunState.ENDED or not (events or state is RunState.LOADING):
            return


def _given_up(until: float, next_t: float) -> RunEnding:
    reason = f"still running after {until:g} s; --until SECONDS sets the limit"
    if next_t == math.inf:
        reason = "still running, and nothing is going to happen any more (is the player paused for good?)"
    elif next_t <= until:
        reason = f"the run stands still at {next_t:g} s; that is a fault of this program"
    return RunEnding(Outcome.ERROR, min(until, next_t), reason)


def _line(event: Transition) -> dict[str, Any]:
    origin = event.origin
    line = {"t": _rounded(event.t), "event": event.event, "node": origin.pointer, "type": origin.kind}
    optional = {
        "name": origin.name,
        "code": event.code,
        "message": event.message,
        "document": origin.document,
    }
    return line | {key: value for key, value in optional.items() if value}


def _problem_line(problem: Problem) -> dict[str, Any]:
    where = {"t": 0.0, "event": "problem", "node": problem.pointer}
    return where | {"code": problem.code, "message": problem.message}


def _last_line(ending: RunEnding) -> dict[str, Any]:
    line: dict[str, Any] = {"outcome": ending.outcome.value, "t": _rounded(ending.t)}
    if ending.outcome is not Outcome.SUCCEEDED:
        line["reason"] = ending.reason
        if ending.origin is not NOWHERE:
            line["node"] = ending.origin.pointer
    return line


def _rounded(t: float) -> float:
    """Microseconds: sums of decimal fractions have noise behind that."""
    return round(t, 6)
