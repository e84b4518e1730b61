# SPDX-License-Identifier: Apache-2.0
"""The journal of a run: the transitions of its nodes, and warnings."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from embodiment_bridge.body.skill_info import FALL_S

EVENT_LIMIT = 100_000  # events kept until they are taken; the oldest are dropped and counted
WARNING_LIMIT = 100  # different warnings kept
MESSAGE_LIMIT = 500  # characters

NO_TRANSITION = ("warning", "breakpoint", "fallen")
MOVING = ("body", "emotion")  # types of nodes that move the body
STATUS_AFTER = {
    "start": "RUNNING",
    "success": "SUCCESS",
    "failure": "FAILURE",
    "halted": "HALTED",
    "skipped": "SKIPPED",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Names the place of a tree node in its document.

    ``pointer`` is a JSON pointer into document number ``document`` of the run (0 is the one it was started
    with, every fetched one gets the next number). ``kind`` is the node's type; ``label`` says what a leaf
    does.
    """

    pointer: str
    kind: str
    name: str = ""
    label: str = ""
    document: int = 0


@dataclass(frozen=True, slots=True)
class Transition:
    """Records one event of one node. ``t`` is scheduled run time in s, never the time of the tick that noticed it.

    ``event`` is start, success, failure, halted, skipped, replaced, warning, breakpoint (the run pauses before the
    node) or fallen (the body, during or after it); ``status`` how the node stands after it (RUNNING, SUCCESS, FAILURE,
    HALTED, SKIPPED, or empty where it is not changed); ``code`` is given for warnings.
    """

    t: float
    event: str
    origin: Origin
    message: str = ""
    code: str = ""

    @property
    def status(self) -> str:
        """The node's status after the event."""
        return STATUS_AFTER.get(self.event, "")


class Journal:
    """Collects the transitions of one run; bounded."""

    def __init__(self) -> None:
        self.dropped = 0
        self.transitions = 0  # so far, without warnings and the like
        # when the last node that moves the body ended, s of the run
        self._moved: tuple[float, Origin] | None = None
        self._events: deque[Transition] = deque(maxlen=EVENT_LIMIT)
        self._warnings: OrderedDict[tuple[int, str, str], str] = OrderedDict()

    def note(self, t: float, event: str, origin: Origin, message: str = "", code: str = "") -> None:
        """Keep one event."""
        self.dropped += len(self._events) == EVENT_LIMIT
        self.transitions += event not in NO_TRANSITION
        if origin.kind in MOVING and event in ("success", "failure", "halted"):
            self._moved = t, origin
        self._events.append(Transition(t, event, origin, message[:MESSAGE_LIMIT], code))

    def note_fall(self, t: float, active: Iterable[Origin], text: str) -> bool:
        """Note ``fallen`` at the node that moved the body until ``FALL_S`` ago, else moves it now; False: none."""
        moves = [origin for origin in active if origin.kind in MOVING]
        if self._moved is not None and t - self._moved[0] <= FALL_S:
            moves.append(self._moved[1])
        if moves:
            self.note(t, "fallen", moves[-1], text)
        return bool(moves)

    def warn(self, t: float, origin: Origin, code: str, message: str) -> None:
        """Keep a warning, once for each node and code, so that a loop does not repeat it for ever."""
        key = (origin.document, origin.pointer, code)
        if key in self._warnings:
            return
        self._warnings[key] = f"{origin.pointer}: {code}: {message[:MESSAGE_LIMIT]}"
        if len(self._warnings) > WARNING_LIMIT:
            self._warnings.popitem(last=False)
        self.note(t, "warning", origin, message, code)

    @property
    def warnings(self) -> list[str]:
        """The latest different warnings, one line each."""
        return list(self._warnings.values())

    def take(self) -> list[Transition]:
        """Hand over what happened since the last call."""
        events = list(self._events)
        self._events.clear()
        return events
