# SPDX-License-Identifier: Apache-2.0
"""The brain of the OAC: processes messages, and makes plans at ticks. No socket, no thread, no clock of its own."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.protocols.opencog.xml.events import (
    ActionPlan,
    AgentSignal,
    AvatarSignal,
    EmotionalFeeling,
    FinishedFirstTimePerceptTerrianSignal,
    Instruction,
    MapInfo,
    PsiDemand,
)
from embodiment_bridge.protocols.opencog.xml.parts import ActionSignal, Blip, Level, MapThing, PlanAction
from embodiment_bridge.protocols.opencog.xml.xml_documents import write_brain
from embodiment_bridge.standins.oac.intake import OacIntake
from embodiment_bridge.standins.oac.router_lines import Incoming
from embodiment_bridge.standins.oac.scripted_plans import Known, Script

PLAN_TIMEOUT: Final = 90.0  # s; PROCEDURE_EXECUTION_TIMEOUT of a real OAC
FEEL_EVERY, DEMAND_EVERY = 3, 5  # ticks
FEELINGS: Final = ("anger", "excitement", "fear", "happiness")
KEPT: Final = 1000  # entries of each record
LONGEST_KEPT: Final = 100_000  # bytes of a message that is worth a record
LONGEST_PROBLEM: Final = 300  # characters
LONGEST_ID: Final = 200
MOST_THINGS: Final = 10_000  # on the map
MOST_LEVELS: Final = 100  # of needs, by name


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message of the OAC to its proxy."""

    payload: bytes
    type: int = wire.MessageType.STRING


@dataclass(slots=True)
class Pending:
    """A plan that was sent: status of each action (empty: open), and the number of actions that were sent."""

    id: int
    actions: tuple[PlanAction, ...]
    since: float
    status: dict[int, str]
    sent: int = 0

    @property
    def finished(self) -> bool:
        """Whether all actions have ended."""
        return all(self.status.values())


@dataclass(slots=True)
class Record:
    """Record of received messages, for tests and for people; of limited size."""

    reports: deque[ActionSignal] = field(default_factory=lambda: deque(maxlen=KEPT))
    problems: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT))
    seen: deque[AgentSignal | Instruction] = field(default_factory=lambda: deque(maxlen=KEPT))
    heard: deque[bytes] = field(default_factory=lambda: deque(maxlen=KEPT))
    plans: deque[ActionPlan] = field(default_factory=lambda: deque(maxlen=KEPT))
    places: deque[tuple[str, float, float]] = field(default_factory=lambda: deque(maxlen=KEPT))
    ticks: int = 0
    messages: int = 0
    scanned: bool = False  # whether the end of the first scan was reported
    outcomes: dict[int, str] = field(default_factory=dict)


class Brain:
    """One OAC. ``cycle`` processes the received messages and thinks once if there was a tick.

    name: of the OAC and its agent. proxy: only messages of this element are processed. single_actions: send plans
    action by action. dialect: of all messages.
    """

    def __init__(
        self,
        name: str,
        proxy: str,
        script: Script,
        *,
        dialect: str = "seed",
        validating: bool = True,
        single_actions: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.name, self.proxy = name, proxy
        self.known: dict[str, Known] = {}
        self.levels: dict[str, float] = {}
        self.record = Record()
        self.pending: Pending | None = None
        self._script = script
        self._dialect = dialect
        self._intake = OacIntake(dialect, validating=validating)
        self._single = single_actions
        self._say = say
        self._queue: deque[Incoming] = deque(maxlen=KEPT)
        self._next_id = 0
        self._now = 0.0
        self._out: list[Outgoing] = []
        self._keeps = True  # whether the message that is processed is worth a record

    def receive(self, message: Incoming) -> None:
        """Queue a message for the next cycle."""
        self._queue.append(message)

    def cycle(self, now: float) -> list[Outgoing]:
        """Process the queued messages in order, then think once if there was a tick. Returns the messages to send."""
        self._now = now
        self._out = []
        ticks = 0
        while self._queue:
            message = self._queue.popleft()
            if message.type == wire.MessageType.TICK:
                ticks += 1
            elif message.sender == self.proxy and message.to == self.name:
                self._process(message)
        self.record.ticks += ticks
        if ticks:
            self._think()
        return self._out

    def _process(self, message: Incoming) -> None:
        self.record.messages += 1
        self._keeps = len(message.payload) <= LONGEST_KEPT
        if message.type == wire.MessageType.RAW:  # for the language server, unchanged
            if self._keeps:
                self.record.heard.append(message.payload)
            return
        intake = self._intake.take(message.payload)
        for problem in (*intake.problems, *intake.dropped):
            self._note_problem(problem)
            self._say(f"{self.name}: dropped: {problem}")
        for event in intake.events:
            match event:
                case MapInfo():
                    self._look(event)
                case AvatarSignal():
                    self._feel_needs(event.levels)
                    if not self._take_reports(event.actions):
                        return
                case FinishedFirstTimePerceptTerrianSignal():
                    self.record.scanned = True
                case AgentSignal() | Instruction() if self._keeps:
                    self.record.seen.append(event)

    def _note_problem(self, text: str) -> None:
        self.record.problems.append(text[:LONGEST_PROBLEM])

    def _feel_needs(self, levels: Iterable[Level]) -> None:
        for level in levels:
            if level.name in self.levels or len(self.levels) < MOST_LEVELS:
                self.levels[level.name[:LONGEST_ID]] = level.value

    def _look(self, message: MapInfo) -> None:
        for blip in message.blips:
            self._place(blip.entity.id, blip.entity.type, blip)
        for data in message.map_data:
            for thing in data.things:
                self._place(thing.id, thing.type, thing)

    def _place(self, name: str, kind: str, thing: Blip | MapThing) -> None:
        properties = dict(thing.properties)
        if properties.get("remove", "").lower() == "true":
            self.known.pop(name, None)
            return
        if len(name) > LONGEST_ID or (name not in self.known and len(self.known) >= MOST_THINGS):
            return
        place = thing.position
        self.known[name] = Known(name, kind[:LONGEST_ID], place.x, place.y, place.z, thing.rotation.yaw)
        self.record.places.append((name, place.x, place.y))

    def _take_reports(self, actions: Iterable[ActionSignal]) -> bool:
        """Handle reports; returns False if one of them makes the OAC drop the message, as a real OAC does."""
        for action in actions:
            if action.plan_id is None:
                continue
            if self._keeps:
                self.record.reports.append(action)
            where = f"action {action.sequence} ({action.name})" if action.sequence else "all that is open"
            self._say(f"{self.name}: plan {action.plan_id}, {where}: {action.status}")
            plan = self.pending
            if plan is None or action.plan_id != str(plan.id):
                self._note_problem(f"report for plan {action.plan_id}, which is not pending")
                continue
            if action.sequence is not None and action.sequence not in plan.status:
                self._note_problem(f"plan {plan.id} has no action {action.sequence}")
                return False
            self._note(plan, action)
        return True

    def _note(self, plan: Pending, action: ActionSignal) -> None:
        which = (
            [action.sequence] if action.sequence is not None else [n for n, s in plan.status.items() if not s]
        )
        plan.status.update(dict.fromkeys(which, action.status))
        if plan.finished:
            self._end(plan, "failed" if "error" in plan.status.values() else "done")
            self._say(f"{self.name}: plan {plan.id} is {self.record.outcomes[plan.id]}")
        elif self._single and action.sequence is not None:
            self._send_next(plan)

    def _end(self, plan: Pending, outcome: str) -> None:
        self.pending = None
        self.record.outcomes[plan.id] = outcome
        if len(self.record.outcomes) > KEPT:
            del self.record.outcomes[next(iter(self.record.outcomes))]

    def _think(self) -> None:
        if self.record.ticks == 1:
            text = f'{self.name}***{self.name} entering "Playing Mode"'
            self._out.append(Outgoing(text.encode(), wire.MessageType.FEEDBACK))
        if self.record.ticks % FEEL_EVERY == 0:
            self._feel()
        if self.record.ticks % DEMAND_EVERY == 0:
            demands = (Level("Energy", round(self.levels.get("energy", 1.0), 2)), Level("Certainty", 0.7))
            self._send(PsiDemand(self.name, demands))
        if self.pending is not None and self._now - self.pending.since > PLAN_TIMEOUT:
            self._end(self.pending, "timeout")  # without a message to the proxy
        ready = self.record.scanned or self._dialect != "final"
        if (
            self.pending is None and ready and self.name in self.known
        ):  # no plans before the body is on the map
            self._choose()

    def _feel(self) -> None:
        """Send two of the feelings at a time; real OACs cut three characters off their own name there."""
        turn = self.record.ticks // FEEL_EVERY
        some = (FEELINGS[turn % len(FEELINGS)], FEELINGS[(turn + 1) % len(FEELINGS)])
        levels = tuple(Level(name, round(0.45 + 0.01 * (turn % 10), 2)) for name in some)
        self._send(EmotionalFeeling(self.name[3:], levels))

    def _choose(self) -> None:
        actions = self._script.next(self.known, self.known[self.name])
        if not actions:
            return
        plan = Pending(self._next_id, actions, self._now, dict.fromkeys((a.sequence for a in actions), ""))
        self._next_id += 2 if plan.id % 3 == 0 else 1  # real OACs skip some ids
        self.pending = plan
        self._say(f"{self.name}: plan {plan.id}: {', '.join(action.name for action in actions)}")
        if self._single:
            self._send_next(plan)
        else:
            plan.sent = len(actions)
            self._send(ActionPlan(str(plan.id), self.name, "Energy", actions))

    def _send_next(self, plan: Pending) -> None:
        if plan.sent < len(plan.actions):
            plan.sent += 1
            self._send(ActionPlan(str(plan.id), self.name, "Energy", plan.actions[plan.sent - 1 : plan.sent]))

    def _send(self, message: ActionPlan | EmotionalFeeling | PsiDemand) -> None:
        try:
            payload = write_brain(message)
        except CommandError as error:  # it is made of names and places that a client has sent
            self._note_problem(str(error))
            return
        if isinstance(message, ActionPlan):
            self.record.plans.append(message)
        self._out.append(Outgoing(payload))
