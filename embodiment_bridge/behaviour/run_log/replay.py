# SPDX-License-Identifier: Apache-2.0
"""A logged run done again: the same document, seed, times and answers give the same transitions."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.journal import Origin, Transition
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import (
    FetchReport,
    FetchStatus,
    Ports,
    Read,
    SoundReport,
    SoundRequest,
    SoundStatus,
)
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.run_log.run_log import FORMAT
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.rules.operator_rules import Allowed
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError

Entry = dict[str, Any]
"""A line of the log."""

MAX_LINE = 20_000_000  # characters
_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)  # raised by bad entries
CONTROLS = ("pause", "resume", "step", "cancel", "preempt", "set_breakpoints", "note_fall")


def replay(lines: Iterable[str]) -> list[Transition]:
    """Do a logged run again, as fast as the machine can.

    Raises:
        ConfigError: the lines are not a log of this format.
    """
    entries = _entries(lines)
    header = next(entries, None)
    if header is None or header.get("kind") != "header" or header.get("format") != FORMAT:
        raise ConfigError(f"the first line of a log is a header of format {FORMAT}")
    try:
        return _Replay(header).over(entries)
    except _ERRORS as error:
        raise ConfigError(f"the log cannot be done again: {type(error).__name__}: {error}") from error


def logged(lines: Iterable[str]) -> list[Transition]:
    """Return the transitions that a log tells.

    Raises:
        ConfigError: a line is not a JSON object.
    """
    found = [entry for entry in _entries(lines) if entry.get("kind") == "transition"]
    try:
        return [_transition(one) for one in found]
    except _ERRORS as error:
        raise ConfigError(f"a transition of the log is bad: {type(error).__name__}: {error}") from error


def _transition(entry: Entry) -> Transition:
    origin = Origin(**entry["origin"])
    one = Transition(float(entry["t"]), entry["event"], origin, entry["message"], entry["code"])
    for text in (one.event, one.message, one.code, origin.pointer, origin.name):
        if not isinstance(text, str):
            raise TypeError(f"{text!r:.40} is not a text")
    return one


def _entries(lines: Iterable[str]) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE:
            raise ConfigError(f"line {number} of the log has more than {MAX_LINE} characters")
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"line {number} of the log is no JSON: {error}") from None
        if not isinstance(entry, dict):
            raise ConfigError(f"line {number} of the log is no JSON object")
        yield entry


def _allowed(entry: Any) -> Allowed | None:
    return None if entry is None else Allowed(entry[0], frozenset(entry[1]))


class _Answers:
    """Gives the answers of the ports: the last one again, unless the log has a new one for this call."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._news: dict[tuple[str, int], Entry] = {}
        self._last: dict[str, Any] = {}

    def begin(self, news: list[Entry]) -> None:
        """Go to the next tick or control."""
        self._calls.clear()
        self._news = {(one["call"], one["n"]): one for one in news}

    def get(self, call: str, usual: Any = None) -> Any:
        news = self._news.get((call, self._calls[call]))
        self._calls[call] += 1
        if news is not None:
            if "error" in news:
                self._last.pop(call, None)
                raise CommandError(news["error"])
            self._last[call] = news["answer"]
        return self._last.get(call, usual)


class _Replay:
    """Repeats one run, driven by the entries of a log."""

    def __init__(self, header: Entry) -> None:
        self._answers = _Answers()
        self._board = Blackboard()
        skills = {
            name: SkillInfo(
                **{**one, "channels": tuple(one["channels"]), "parameters": tuple(one["parameters"])}
            )
            for name, one in header["skills"].items()
        }
        urls: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in header["urls"].items()
        }
        for key in ("ports", "hosts", "trusted_hosts"):
            urls[key] = None if urls[key] is None else frozenset(urls[key])
        rules = header["rules"]
        self._run = Run(
            header["document"],
            Ports(_Skills(self._answers), _Media(self._answers, header["speaks"]), _Requests(self._answers)),
            Rules(
                skills,
                UrlPolicy(**urls),
                rules["strict"],
                rules["volume_scale"],
                Limits(**rules["limits"]),
                header["subtrees"],
                *(_allowed(one) for one in header.get("allowed", (None, None))),
            ),
            run_id=header["run_id"],
            settings=Settings(**header["settings"]),
            blackboard=self._board,
            seed=header["seed"],
        )
        self._found: list[Transition] = []

    def over(self, entries: Iterable[Entry]) -> list[Transition]:
        """Replay everything in its order; the answers of a moment stand behind it."""
        moment: Entry | None = None
        answers: list[Entry] = []
        values: dict[str, Any] = {}
        for entry in entries:
            kind = entry["kind"]
            if kind == "port":
                answers.append(entry)
            elif kind in ("tick", "control", "board"):
                self._do(moment, answers)
                moment, answers = None, []
                if kind == "board":
                    values = entry["values"]
                    continue
                for key, value in values.items():
                    self._board.write(key, value)
                moment, values = entry, {}
            elif kind == "cut":
                break
        self._do(moment, answers)
        return self._found

    def _do(self, moment: Entry | None, answers: list[Entry]) -> None:
        if moment is None:
            return
        self._answers.begin(answers)
        if moment["kind"] == "tick":
            while self._run.tick(moment["now"]) is RunState.LOADING:  # its tree was built before that time
                pass
        elif moment["call"] in CONTROLS:
            getattr(self._run, moment["call"])(*moment["arguments"])
        else:
            raise ConfigError(f"a log has no control {moment['call']!r:.40}")
        self._found += self._run.take_events()


class _Skills:
    """Implements a ``SkillPort`` that answers from the log."""

    def __init__(self, answers: _Answers) -> None:
        self._get = answers.get

    def start(self, request: SkillRequest) -> None:
        self._get(f"skills.start {request.id}")

    def report(self, request_id: str) -> SkillReport:
        answer = self._get(f"skills.report {request_id}")
        return SkillReport(**{**answer, "status": SkillStatus(answer["status"])})

    def cancel(self, request_id: str) -> None:
        self._get(f"skills.cancel {request_id}")

    def hold(self, on: bool) -> None:
        self._get(f"skills.hold {on}")


class _Media:
    """Implements a ``MediaPort`` that answers from the log."""

    def __init__(self, answers: _Answers, speaks: bool) -> None:
        self._get = answers.get
        self.speaks = speaks

    def start(self, request: SoundRequest) -> None:
        self._get(f"media.start {request.id}")

    def report(self, request_id: str) -> SoundReport:
        answer = self._get(f"media.report {request_id}")
        return SoundReport(**{**answer, "status": SoundStatus(answer["status"])})

    def cancel(self, request_id: str) -> None:
        self._get(f"media.cancel {request_id}")

    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        return str(self._get(f"media.command {action}", ""))

    def hold(self, on: bool) -> None:
        self._get(f"media.hold {on}")


class _Requests:
    """Implements a ``RequestPort`` that answers from the log."""

    def __init__(self, answers: _Answers) -> None:
        self._get = answers.get

    def start(self, request_id: str, url: str, read: Read) -> None:
        self._get(f"requests.start {request_id}")

    def report(self, request_id: str) -> FetchReport:
        answer = self._get(f"requests.report {request_id}")
        return FetchReport(**{**answer, "status": FetchStatus(answer["status"])})

    def cancel(self, request_id: str) -> None:
        self._get(f"requests.cancel {request_id}")
