# SPDX-License-Identifier: Apache-2.0
"""A run that writes down all it needs to be done again, one JSON object per line.

The lines, by ``kind``:

* ``header``: format, run id, seed, document text and its SHA-256, subtrees, skills, settings, rules;
* ``tick``: the outside time ``now``; only of ticks in which something happened;
* ``control``: a call from outside (pause, resume, step, cancel, preempt, set_breakpoints) and its arguments;
* ``board``: values of the blackboard that were written from outside since the tick before;
* ``port``: what a port answered during the tick or control above it, where that is news: a report that differs
  from the one before, a remark, or an error; ``n`` counts the calls with these arguments in that moment;
* ``transition``: scheduled time, event, pointer, ...: what people want to read;
* ``end``: the outcome. ``cut``: the log became too long, and is not continued.

The document, its replies and the values stand in the log as they are: it is as confidential as they are.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict

from typing_extensions import override

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.engine.loading import Loaded, Rules, hash_of
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.run_log.recorder import Recorder
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.rules.operator_rules import Allowed
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError

FORMAT = 1
MAX_BYTES = 50_000_000


class LoggedRun(Run):
    """Runs a document, and passes every line of the run's log to ``write``.

    Args:
        source: JSON text, or a document that was loaded from such.
        ports: as of ``Run``.
        rules: as of ``Run``.
        write: takes a line without its end; must return at once.
        max_bytes: after about as many the log ends with a line of the kind ``cut``; the run goes on.

    Raises:
        ConfigError: ``source`` has no text.
    """

    def __init__(
        self,
        source: str | bytes | Loaded,
        ports: Ports,
        rules: Rules,
        *,
        write: Callable[[str], None],
        run_id: str = "run",
        settings: Settings | None = None,
        blackboard: Blackboard | None = None,
        seed: int | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        text = source.text if isinstance(source, Loaded) else source
        if not isinstance(text, (str, bytes)):
            raise ConfigError(f"a logged run needs the text of its document, not a {type(source).__name__}")
        settings = settings or Settings()
        board = Blackboard() if blackboard is None else blackboard
        self._recorder = Recorder(ports)
        recorded = self._recorder.ports
        super().__init__(
            source, recorded, rules, run_id=run_id, settings=settings, blackboard=board, seed=seed
        )
        self._write = write
        self._bytes_left = max_bytes
        self._board = board
        self._board_seen: Mapping[str, object] = {}
        self._board_version = -1
        self._unwritten_tick: float | None = None
        self._last_now: float | None = None
        self._force = True  # the next tick is written, whatever happens in it
        self._pending: list[Transition] = []
        self._put(_header(text, rules, run_id, self.seed, settings, recorded.media.speaks))

    @override
    def tick(self, now: float) -> RunState:
        values = self._values_from_outside()
        before, unseen = self.state, self._context.unseen
        self._recorder.begin()
        state = super().tick(now)
        if (
            state is RunState.LOADING
        ):  # nothing has happened yet, and doing it again builds the tree in one tick
            return state
        calls, events = self._recorder.take(), super().take_events()
        backwards = self._last_now is not None and now < self._last_now
        if backwards and self._unwritten_tick is not None:
            self._put({"kind": "tick", "now": self._unwritten_tick})
        if (
            self._force
            or backwards
            or values
            or calls
            or events
            or state is not before
            or self._context.unseen > unseen
        ):
            self._tell(values, {"kind": "tick", "now": now}, calls, events)
            self._force = False
            self._unwritten_tick = None
        else:
            self._unwritten_tick = now
        self._last_now = now
        self._tell_end(before)
        return state

    @override
    def pause(self) -> bool:
        return bool(self._control("pause", super().pause))

    @override
    def resume(self) -> bool:
        return bool(self._control("resume", super().resume))

    @override
    def step(self) -> bool:
        return bool(self._control("step", super().step))

    @override
    def cancel(self, reason: str = "canceled") -> None:
        self._control("cancel", super().cancel, reason)

    @override
    def preempt(self, reason: str = "another run takes its place") -> None:
        self._control("preempt", super().preempt, reason)

    @override
    def note_fall(self, text: str) -> bool:
        return bool(self._control("note_fall", super().note_fall, text))

    @override
    def set_breakpoints(self, names: Iterable[str]) -> None:
        self._control("set_breakpoints", super().set_breakpoints, sorted(set(names), key=str))

    @override
    def take_events(self) -> list[Transition]:
        events, self._pending = self._pending, []
        return events

    def _control(self, call: str, do: Callable[..., object], *arguments: object) -> object:
        if self._unwritten_tick is not None:  # what the call does begins at the time of that tick
            self._put({"kind": "tick", "now": self._unwritten_tick})
            self._unwritten_tick = None
        values, before = self._values_from_outside(), self.state
        self._recorder.begin()
        answer = do(*arguments)
        entry = {"kind": "control", "call": call, "arguments": list(arguments)}
        self._tell(values, entry, self._recorder.take(), super().take_events())
        self._force = True
        self._tell_end(before)
        return answer

    def _values_from_outside(self) -> dict[str, object]:
        """Return the changes of the blackboard since the last look; None for what is gone."""
        if self._board.version == self._board_version:
            return {}
        old, new = self._board_seen, self._board.values()
        changed = {
            key: new.get(key) for key in old.keys() | new.keys() if repr(old.get(key)) != repr(new.get(key))
        }
        return dict(sorted(changed.items()))

    def _tell(
        self,
        values: Mapping[str, object],
        moment: Mapping[str, object],
        calls: list[dict[str, object]],
        events: list[Transition],
    ) -> None:
        if values:
            self._put({"kind": "board", "values": values})
        self._put(moment)
        for call in calls:
            self._put({"kind": "port", **call})
        for event in events:
            self._put({"kind": "transition", **asdict(event)})
        # Events that are not taken for long are dropped, the oldest first, as the journal does.
        self._pending = (self._pending + events)[-100_000:]
        self._board_seen, self._board_version = self._board.values(), self._board.version

    def _tell_end(self, before: RunState) -> None:
        if self.ending is not None and before is not RunState.ENDED:
            ending = {"outcome": self.ending.outcome.value, "t": self.ending.t, "reason": self.ending.reason}
            self._put({"kind": "end", **ending, "pointer": self.ending.origin.pointer})

    def _put(self, entry: Mapping[str, object]) -> None:
        if self._bytes_left <= 0:
            return
        line = json.dumps(entry)
        self._bytes_left -= len(line) + 1
        self._write(line if self._bytes_left > 0 else '{"kind": "cut"}')


def _header(
    source: str | bytes, rules: Rules, run_id: str, seed: int, settings: Settings, speaks: bool
) -> dict[str, object]:
    return {
        "kind": "header",
        "format": FORMAT,
        "run_id": run_id,
        "seed": seed,
        "speaks": speaks,
        "sha256": hash_of(source),
        "document": _text(source),
        "subtrees": {name: _text(one) for name, one in rules.subtrees.items()},
        "skills": {name: _skill(info) for name, info in rules.skills.items()},
        "settings": asdict(settings),
        "rules": {"strict": rules.strict, "volume_scale": rules.volume_scale, "limits": asdict(rules.limits)},
        "allowed": [_channels(rules.allowed), _channels(rules.allowed_fetched)],
        "urls": {key: _plain(value) for key, value in asdict(rules.urls).items()},
    }


def _skill(info: SkillInfo) -> dict[str, object]:
    """Return the values of a skill that a run depends on, without words and ranges for clients."""
    return {key: value for key, value in asdict(info).items() if key not in ("description", "details")}


def _text(text: str | bytes) -> str:
    return text.decode(errors="surrogateescape") if isinstance(text, bytes) else text


def _channels(allowed: Allowed | None) -> list[object] | None:
    return None if allowed is None else [allowed.source, sorted(allowed.channels)]


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, (frozenset, set)) else value
