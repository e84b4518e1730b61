# SPDX-License-Identifier: Apache-2.0
"""Several runs for one robot: which one runs, which wait, and which are ended."""

from collections import deque
from dataclasses import dataclass
from enum import Enum

from embodiment_bridge.behaviour.engine.results import RunEnding, RunState
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.core.errors import unknown

MAX_QUEUE = 8
MAX_RUNS = MAX_QUEUE + 3  # the queue, one that runs, one suspended, one next
_PAUSED = (RunState.PAUSING, RunState.PAUSED)


class OnNew(Enum):
    """Says how a new run treats the one that has the body."""

    REPLACE = "replace"  # ends it as PREEMPTED
    REJECT = "reject"  # gives way to it
    QUEUE = "queue"  # waits for its end
    SUSPEND = "suspend"  # pauses it, and lets it go on afterwards


@dataclass(slots=True)
class Entry:
    """Holds a run and what its goal said about it."""

    run_id: str
    run: Run
    on_new: OnNew
    priority: int
    suspendable: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """Describes a run that has ended."""

    run_id: str
    run: Run
    ending: RunEnding


class RunScheduler:
    """Lets one run after the other have the robot. Call ``tick(now)`` whenever ``needs_tick``.

    * A run begins only when the one before has ended, or is frozen, with everything acknowledged.
    * A lower priority never replaces or suspends a higher one; it may wait in the queue, which is ordered by
      priority, then by time. A suspended run goes on before runs of the queue that have no higher priority.
    * One run can be suspended, if it is ``suspendable``; a new run that cannot suspend it is refused.
    * While the run is paused from outside or at a breakpoint, nothing begins and nothing is preempted: a new
      run that would replace or suspend it is accepted and waits for ``resume``. ``cancel`` and ``stop_all`` always
      work, and end no pause from outside: it lasts until ``resume``, also where nothing runs.

    Each run needs ports of its own, whose ``hold`` freezes what that run has started and nothing else.
    """

    def __init__(self) -> None:
        self.paused = False
        self._current: Entry | None = None
        self._suspended: Entry | None = None
        self._next: Entry | None = None
        self._queue: deque[Entry] = deque()
        self._leaving: list[Entry] = []

    # Goals.

    def submit(
        self,
        run: Run,
        run_id: str,
        *,
        on_new: str = "replace",
        priority: int = 0,
        suspendable: object = False,
    ) -> str:
        """Take a run that has not begun.

        Args:
            run: it is begun by a later ``tick``.
            run_id: names it in ``cancel`` and ``Ended``.
            on_new: replace, reject, queue or suspend.
            priority: higher goes before lower.
            suspendable: of the document's metadata: true or the text "true" allow to suspend it.

        Returns:
            Why it is refused; empty when it is accepted. A refused run is not touched.
        """
        policies = {policy.value: policy for policy in OnNew}
        if on_new not in policies:
            return unknown("policy for a new run", str(on_new)[:40], policies)
        if isinstance(priority, bool) or not isinstance(priority, int):
            return f"a priority is a whole number, not {priority!r:.40}"
        if any(entry.run_id == run_id for entry in (*self._all(), *self._leaving)):
            return f"there is a run {run_id!r} already"
        is_suspendable = suspendable is True or (
            isinstance(suspendable, str) and suspendable.lower() == "true"
        )
        entry = Entry(run_id, run, policies[on_new], priority, is_suspendable)
        reason = self._refusal(entry)
        if not reason:
            self._admit(entry)
        return reason

    def _refusal(self, entry: Entry) -> str:
        holder = self._next or self._current
        if entry.on_new is OnNew.QUEUE:
            full = len(self._queue) >= MAX_QUEUE
            return f"the queue is full ({MAX_QUEUE} runs wait)" if full else ""
        if holder is None:
            return "" if self._suspended is None else self._beats(entry, self._suspended)
        if entry.on_new is OnNew.REJECT:
            return f"{holder.run_id} runs, and this goal gives way"
        if len(self._leaving) >= MAX_RUNS:
            return "too many runs are on their way to rest"
        if entry.on_new is OnNew.SUSPEND:
            if self._suspended is not None:
                return f"{self._suspended.run_id} is suspended already; one run can be"
            if not holder.suspendable:
                return f"{holder.run_id} cannot be suspended: its document does not say 'suspendable'"
        return self._beats(entry, holder)

    @staticmethod
    def _beats(entry: Entry, other: Entry) -> str:
        if entry.priority >= other.priority:
            return ""
        return f"{other.run_id} has the priority {other.priority}, this goal {entry.priority}"

    def _admit(self, entry: Entry) -> None:
        if entry.on_new is OnNew.QUEUE:
            place = next(
                (i for i, one in enumerate(self._queue) if one.priority < entry.priority), len(self._queue)
            )
            self._queue.insert(place, entry)
            return
        if self._next is not None:  # it never began
            self._dismiss(self._next)
        self._next = entry
        if not self.is_paused:
            self._make_way()

    def _make_way(self) -> None:
        """Do to the present run what the next one wants."""
        if self._next is None or self._current is None:
            return
        current, self._current = self._current, None
        if self._next.on_new is OnNew.SUSPEND and self._suspended is None and _can_wait(current):
            current.run.pause()
            self._suspended = current
        else:
            self._dismiss(current)

    def _dismiss(self, entry: Entry) -> None:
        entry.run.preempt()
        self._leaving.append(entry)

    # Control.

    @property
    def is_paused(self) -> bool:
        """Whether there is a pause, by ``pause`` or at a breakpoint of the run that has the robot."""
        return self.paused or (self._current is not None and self._current.run.state in _PAUSED)

    def pause(self) -> bool:
        """Let nothing begin before ``resume``, and freeze what runs; False when nothing does."""
        self.paused = True
        if self._current is None:
            return False
        self._current.run.pause()
        return True

    def resume(self) -> bool:
        """Go on, or let the run that came meanwhile take over; False when not paused."""
        if not self.is_paused:
            return False
        self.paused = False
        if self._next is not None:
            self._make_way()
        elif self._current is not None:
            self._current.run.resume()
        return True

    def step(self) -> bool:
        """Go on until one node has begun or ended, then pause again; False when not paused."""
        return self._current is not None and self._current.run.step()

    def cancel(self, run_id: str, reason: str = "canceled") -> bool:
        """End one run, wherever it is; False when there is none of that id."""
        for entry in self._all():
            if entry.run_id == run_id:
                self._take_out(entry)
                entry.run.cancel(reason)
                self._leaving.append(entry)
                return True
        return any(entry.run_id == run_id for entry in self._leaving)

    def stop_all(self, reason: str = "stopped") -> list[str]:
        """End all runs, those that wait too; may be called again at any time. Returns the ids of all not ended."""
        for entry in self._all():
            self.cancel(entry.run_id, reason)
        return [entry.run_id for entry in self._leaving]

    def _take_out(self, entry: Entry) -> None:
        if entry in self._queue:
            self._queue.remove(entry)
        self._current = None if self._current is entry else self._current
        self._next = None if self._next is entry else self._next
        self._suspended = None if self._suspended is entry else self._suspended

    # Time.

    @property
    def current(self) -> Entry | None:
        """The run that has the robot."""
        return self._current

    @property
    def suspended(self) -> Entry | None:
        """The run that goes on when the present one has ended."""
        return self._suspended

    def waiting(self) -> list[Entry]:
        """Return the runs that have not begun, in the order in which they will."""
        return [*([self._next] if self._next is not None else []), *self._queue]

    @property
    def needs_tick(self) -> bool:
        """Whether a tick can change anything."""
        if self._leaving or (self._suspended is not None and self._suspended.run.needs_tick):
            return True
        if self._current is not None:
            return self._current.run.needs_tick and not self._is_held(self._current)
        return not self.paused and bool(self._suspended or self.waiting())

    def tick(self, now: float) -> list[Ended]:
        """Advance all that moves to the outside time ``now`` in s; say which runs have ended.

        Raises:
            ConfigError: ``now`` is not finite.
        """
        ended: list[Ended] = []
        for entry in list(self._leaving):
            entry.run.tick(now)
            if _note(entry, ended):
                self._leaving.remove(entry)
        if self._suspended is not None and self._suspended.run.state is not RunState.LOADING:
            self._suspended.run.tick(now)
            if _note(self._suspended, ended):
                self._suspended = None
        while self._promote():
            current = self._current
            if current is None or self._is_held(current):
                break
            current.run.tick(now)
            if not _note(current, ended):
                break
            self._current = None
        return ended

    def _is_held(self, entry: Entry) -> bool:
        """Return whether a pause came while the tree was built: a run that has not begun does not begin then."""
        return self.paused and entry.run.state is RunState.LOADING

    def _promote(self) -> bool:
        """Return whether there is a run to tick, after giving the robot to the next one where it is free."""
        if self._current is not None:
            return True
        if self._leaving or self.paused:
            return False
        if self._next is not None:
            if self._suspended is not None and self._suspended.run.state is RunState.PAUSING:
                return False
            self._current, self._next = self._next, None
            return True
        head = self._queue[0] if self._queue else None
        if self._suspended is not None and (head is None or head.priority <= self._suspended.priority):
            self._current, self._suspended = self._suspended, None
            self._current.run.resume()
        elif head is not None:
            self._current = self._queue.popleft()
        return self._current is not None

    def _all(self) -> list[Entry]:
        entries = [self._current, self._suspended, *self.waiting()]
        return [entry for entry in entries if entry is not None]


def _can_wait(entry: Entry) -> bool:
    """Return whether there is something to go on with later: not when it is on its way to its end."""
    return entry.suspendable and entry.run.state not in (RunState.STOPPING, RunState.ENDED)


def _note(entry: Entry, ended: list[Ended]) -> bool:
    if entry.run.ending is None:
        return False
    ended.append(Ended(entry.run_id, entry.run, entry.run.ending))
    return True
