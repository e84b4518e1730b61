# SPDX-License-Identifier: Apache-2.0
"""The bridge of a body behind a link, as the node has it, in virtual time: session, codec, converter and motion.

One thread. Time passes where the session reads or waits; a fault is what the wire does with the messages of a peer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from math import isfinite
from types import SimpleNamespace
from typing import Any

import contract_rooms
from builtin_interfaces.msg import Time
from link_peers import PEERS, Peer

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.link.session import LinkStatus, Phase, Session, linked
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body.agent_bridge import BodyAgent
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.protocols import registry

SKILL = {"rcsssmj": "head_shake", "simspark": "head_shake", "maeden": "turn_left"}
HURRIED = {"maeden": {"reply_timeout": 1.0}}  # s; nothing is late here but what a test makes late
Mangle = Callable[[float, bytes], list[tuple[float, bytes]]]


@dataclass
class Wire(Transport):
    """What is between the bridge and a peer.

    mangle(t, message): what becomes of a message that the peer sends at t: when it arrives, and as what.
    away: nobody accepts a connection. still: the peer does nothing; its host keeps the connection open and buffers
    what is sent.
    """

    peer_program: Peer
    peer: str = "tcp://peer:1"
    now: float = 0.0
    mangle: Mangle = lambda t, message: [(t, message)]
    away: bool = False
    still: bool = False
    cut: bool = False
    on_its_way: list[tuple[float, bytes]] = field(default_factory=list)
    unheard: list[bytes] = field(default_factory=list)
    written: list[tuple[float, bytes]] = field(default_factory=list)

    def connect(self) -> "Wire":
        if self.away:
            raise LinkError(f"{self.peer}: connection refused")
        self.cut, self.on_its_way, self.unheard = False, [], []
        self.peer_program.join()
        return self

    def read(self, timeout: float) -> bytes:
        until = self.now + timeout
        while self.now < until:
            self.pass_time()
            due = [item for item in self.on_its_way if item[0] <= self.now]
            self.on_its_way = [item for item in self.on_its_way if item[0] > self.now]
            if due:
                return b"".join(data for _, data in due)
            if self.cut:
                raise LinkError(f"{self.peer}: closed by the peer")
        return b""

    def pass_time(self) -> None:
        self.now += self.peer_program.cycle
        if not (self.still or self.away):
            unheard, self.unheard = self.unheard, []
            for data in unheard if not self.cut else ():  # what a program was sent dies with it
                self.peer_program.hear(data)
            message = self.peer_program.say()
            if message:
                self.on_its_way += self.mangle(self.now, message)
                self.on_its_way.sort(key=lambda item: item[0])

    def write(self, data: bytes) -> None:
        if self.away or self.cut:
            raise LinkError(f"{self.peer}: broken pipe")
        self.written.append((self.now, data))
        if self.still:
            self.unheard.append(data)
        else:
            self.peer_program.hear(data)

    def close(self) -> None:
        self.cut = True


class Bridge:
    """A body on a wire with a skill that goes on for ever. ``plan``: what happens when, in s of virtual time.

    hurried: with ``HURRIED``, else as patient as the defaults are.
    """

    def __init__(self, body: str, *, hurried: bool = True) -> None:
        self.wire = Wire(PEERS[body]())
        self.told: list[tuple[float, LinkStatus]] = []
        self.reports: list[tuple[float, SkillReport]] = []
        self.targets: list[tuple[float, tuple[float, ...]]] = []
        self.joined: list[int] = []  # how many targets there were before each connection
        self._body = body
        self._plan: list[tuple[float, Callable[[], object]]] = []
        spec, converter, self.description = made(body)
        self.converter = converter()
        natives = self.converter.native_skills()
        self.runner = MotionRunner(self.description, natives, self.converter.things, idle=False)
        self.queue = SkillQueue(self.runner, self._report)
        step = self.queue.step
        self.queue.step = lambda state: self._note(step(state))
        silent = dict.fromkeys(("publish", "show_state", "after_step", "show_frames"), lambda *_: None)
        interface = SimpleNamespace(queue=self.queue, stamp=lambda _: Time(), **silent)
        agent = BodyAgent(self.converter, interface, print)
        codec = partial(resolve(spec.codec), **self.converter.codec_options())
        values = {parameter.name: parameter.default for parameter in spec.parameters}
        values |= HURRIED.get(body, {}) if hurried else {}
        link = [partial(resolve(spec.link), values)] if spec.link else []
        self.session: Session[Any, Any, Any] = Session(
            linked(self._connect, codec, *link),
            agent,
            lambda status: self.told.append((self.now, status)),
            refusal=spec.refusal,
            quiet_after=spec.quiet_after,
            clock=lambda: self.wire.now,
            wait=self._wait,
            jitter=lambda: 0.0,
        )
        self.connect = self.wire.connect

    @property
    def now(self) -> float:
        return self.wire.now

    @property
    def phase(self) -> Phase:
        return self.session.status.phase

    def at(self, time: float, *do: Callable[[], object]) -> None:
        """Do something at that time."""
        self._plan += [(time, one) for one in do]
        self._plan.sort(key=lambda item: item[0])

    def run(self, until: float) -> "Bridge":
        """Serve up to that time, on this thread."""
        self.at(until, self.session.stop)
        pass_time = self.wire.pass_time

        def passing() -> None:
            pass_time()
            while self._plan and self._plan[0][0] <= self.now:
                self._plan.pop(0)[1]()
            self._keep_busy()

        self.wire.pass_time = passing
        self.session.run()
        return self

    def _connect(self) -> Wire:
        self.joined.append(len(self.targets))
        return self.connect()

    def _wait(self, seconds: float) -> bool:
        until = self.now + seconds
        while self.now < until and not self.session._stop.is_set():
            self.wire.pass_time()
        return self.session._stop.is_set()

    def _keep_busy(self) -> None:
        if self.phase is Phase.READY and not self.queue._known:
            self.queue.start(SkillRequest(f"{len(self.reports)}", SKILL[self._body]))

    def _report(self, report: SkillReport) -> None:
        self.reports.append((self.now, report))

    def _note(self, targets: Any) -> Any:
        assert all(isfinite(value) for value in targets.position)
        self.targets.append((self.now, targets.position))
        return targets

    # What came of it.

    def moved(self, begin: float, end: float) -> bool:
        """Whether anything new was commanded in that time: other targets of joints, or a command of a body without."""
        if not self.description.joints:
            return any(begin < t <= end for t, data in self.wire.written if WAIT not in data)
        return len({target for t, target in self.targets if begin < t <= end}) > 1

    def largest_step(self) -> float:
        """How far a target went at most from one percept of a connection to the next: s at the joint's full speed."""
        joints, steps = self.description.joints, [0.0]
        for number, ((_, before), (_, after)) in enumerate(pairwise(self.targets), start=1):
            if number not in self.joined:
                pairs = zip(joints, before, after, strict=True)
                steps += [abs(b - a) / joint.velocity for joint, a, b in pairs]
        return max(steps)

    def ready_at(self) -> list[float]:
        """When the link became READY."""
        phases = [(t, status.phase) for t, status in self.told]
        return [
            t
            for (_, before), (t, phase) in pairwise(phases)
            if phase is Phase.READY and before is not Phase.READY
        ]

    def reasons(self) -> str:
        """All that the state of the link said, and why skills failed."""
        return "\n".join([*(s.reason for _, s in self.told), *(r.reason for _, r in self.reports)])

    def succeeded(self, since: float) -> int:
        """How many skills ended well after that time."""
        return sum(t >= since and r.status.name == "SUCCEEDED" for t, r in self.reports)


WAIT = b'"w"'


@cache
def made(body: str) -> tuple[Any, Callable[[], Any], Any]:
    """Spec, maker of converters, and body description, as the launch file of the body sets them."""
    spec = registry.spec(body)
    launched = contract_rooms.launched()[body]
    values = {**{parameter.name: parameter.default for parameter in spec.parameters}, **launched}
    description = read_body(contract_rooms.Path(str(launched["body_file"])))
    return spec, lambda: resolve(spec.converter)(values, description), description
