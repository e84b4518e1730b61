# SPDX-License-Identifier: Apache-2.0
"""The context that all nodes of a run share: sounds to wait for, and requests that follow the tick."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from py_trees.behaviour import Behaviour

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.clock import TIE_S, RunClock, StartBudget
from embodiment_bridge.behaviour.engine.debugging import Failures, Gate
from embodiment_bridge.behaviour.engine.journal import Journal, Origin
from embodiment_bridge.behaviour.engine.loading import Loaded
from embodiment_bridge.behaviour.engine.ports import (
    FetchReport,
    MediaPort,
    Ports,
    Read,
    SoundReport,
    SoundRequest,
)
from embodiment_bridge.body.state import SkillInfo


class Playing:
    """Represents a sound that began at run time ``t_start`` (s).

    ``over``: its node has ended; it is not asked any more.
    """

    def __init__(self, media: MediaPort, request: SoundRequest, t_start: float) -> None:
        self.request = request
        self.t_start = t_start
        self.over = False
        self.words = -1  # number of words that have begun; -1 before anything is heard
        self._media = media
        self._report: SoundReport | None = None

    @property
    def ended(self) -> bool:
        """Whether the last look showed its end."""
        return self._report is not None and self._report.status.ended

    @property
    def left(self) -> float | None:
        """In how many s it ends; None while that is not known."""
        return None if self._report is None else self._report.left

    def look(self) -> SoundReport:
        """Return the newest report; the player is not asked again after the end."""
        if self._report is None or not self._report.status.ended:
            self._report = self._media.report(self.request.id)
            self.words = max(self.words, self._report.words)
        return self._report


@dataclass(frozen=True, slots=True)
class StopAsked:
    """Notes that a stop node was reached at run time ``t`` (s).

    target: name of the nodes to end; empty: the whole run.
    is_late: whether a node above it was over before ``t``, which only the end of the pass shows.
    answer: tells the stop node that it was done, with a text for people.
    """

    target: str
    t: float
    origin: Origin
    is_late: Callable[[], bool]
    answer: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Replaced:
    """Notes that the fetched ``tree`` replaces that of the run from run time ``t`` (s) on.

    Its class is not named here: a node knows the context of its run, which has these requests.
    """

    tree: Behaviour
    t: float
    origin: Origin


ITERATIONS_PER_TICK = 1000  # limit for all loops together: several ticks catch up with a clock that leapt


@dataclass(frozen=True, slots=True)
class Settings:
    """Holds times in s and limits of a run.

    grace_s: an end that was planned for t and is seen up to this much later counts as t, so that the delay of
        ticks and messages does not add up over a long performance.
    halt_limit_s: how long halted leaves may take to come to rest before they are given up.
    hold_limit_s: how long leaves may take to freeze or go on.
    chain_gap_s: shortest time between two replacements of the tree by a request.
    max_nesting: trees fetched inside fetched trees.
    max_depth: levels of the whole tree, fetched ones included; two stack frames each.
    missing_channel: what an action does whose channel the body lacks: ``skip`` (take its time) or ``fail``.
    strict_skills: whether a skill that the body skipped, or that something else replaced, is a failure.
    prefetch_s: a request in tail position is sent so long before its turn, where that is known; 0 never.
    max_chain: how often a fetched document may replace the one before; 0: any number.
    max_idle_chain: how often in a row by the same text that takes no time.
    max_run_s: how long a run may take on its clock; 0: any time.
    max_starts: how many leaves that use a port may begin in a second; more wait. 0: any number.
    """

    grace_s: float = 0.1
    halt_limit_s: float = 2.0
    hold_limit_s: float = 1.0
    chain_gap_s: float = 0.5
    max_nesting: int = 8
    max_depth: int = 256
    missing_channel: str = "skip"
    strict_skills: bool = False
    prefetch_s: float = 0.0
    max_chain: int = 0
    max_idle_chain: int = 20
    max_run_s: float = 0.0
    max_starts: float = 0.0

    @property
    def time_limit_s(self) -> float:
        """The run time in s at which a run is ended; inf: never."""
        return self.max_run_s or math.inf


@dataclass(slots=True)
class Chain:
    """Counts a run's documents, and those in a row that have one text and took no time."""

    links: int = 0
    idle: int = 0
    text: int = 0
    """The hash of the latest."""


@dataclass(slots=True)
class RunContext:
    """Holds clock, ports, journal and limits of one run, and what nodes ask of the run during a tick.

    A tick passes over the tree up to twice. In the first pass things end and verdicts fall; only in the
    second may leaves begin something on a port (``starts_allowed``). So nothing is begun at the very instant
    at which it is halted. ``waiting`` says that a leaf wants the second pass.
    """

    run_id: str
    clock: RunClock
    ports: Ports
    skills: Mapping[str, SkillInfo]
    settings: Settings
    read: Read
    take: Callable[[FetchReport], Loaded]
    """Takes a fetched document in, read or not. Raises Rejected."""
    journal: Journal = field(default_factory=Journal)
    blackboard: Blackboard = field(default_factory=Blackboard)
    seed: int = 0
    """Of all that is drawn at random in the run."""
    failures: Failures | None = None
    """Nodes that a rehearsal lets fail; None: there are none."""
    body_paused: bool = False
    """Whether the document has frozen the body, by the action PAUSE."""
    gate: Gate = field(init=False)
    budget: StartBudget = field(init=False)
    held_back: list[UUID] = field(default_factory=list)
    """Ids of the nodes that were about to begin and wait until the run goes on."""
    unfreeze: Callable[[], None] = lambda: None
    """Lets clock, body and sound go on, for a clean-up after a halt during a pause."""
    outside: float = 0.0
    """The outside time of the tick in s; it runs while the run clock is frozen, so halting uses it."""
    starts_allowed: bool = False
    waiting: bool = False
    halts: int = 0
    """How many halts have begun so far."""
    slices: int = 0
    """How often a tick has made a slice of a fetched tree and left the rest to the next one."""
    stops: list[StopAsked] = field(default_factory=list)
    sounds: dict[str, Playing] = field(default_factory=dict)
    """Of each name the sound that began last, for nodes that begin at a word of it."""
    replaced: Replaced | None = None
    replaced_at: float | None = None
    chain: Chain = field(default_factory=Chain)
    _iterations_left: int = 0
    _ids: int = 0

    def __post_init__(self) -> None:
        self.gate = Gate(self.journal)
        self.budget = StartBudget(self.settings.max_starts)

    @property
    def unseen(self) -> int:
        """Counts what a tick may do without an event: halts, leaves queued up, slices."""
        return self.halts + self.budget.queued + self.slices

    def pause_body(self, on: bool) -> None:
        """Freeze the motions of this run, or let them go on."""
        if on != self.body_paused:
            self.body_paused = on
            self.ports.skills.hold(on)

    def begin_tick(self, outside: float) -> None:
        """Note the outside time; loops may turn again."""
        self.outside = outside
        self._iterations_left = ITERATIONS_PER_TICK
        self.budget.begin_tick(self.clock.seconds)

    def take_iteration(self) -> bool:
        """Return whether one more iteration of a loop may begin in this tick."""
        self._iterations_left -= 1
        return self._iterations_left >= 0

    def new_id(self) -> str:
        """Return an id for a request to a port, never given twice in a run."""
        self._ids += 1
        return f"{self.run_id}/{self._ids}"

    def settle(self, planned: float, seen: float | None = None) -> float:
        """Return the scheduled time of an end planned for ``planned`` and seen at ``seen`` (default: now)."""
        seen = self.clock.seconds if seen is None else seen
        return planned if seen <= planned + max(self.settings.grace_s, TIE_S) else seen
