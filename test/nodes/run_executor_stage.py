# SPDX-License-Identifier: Apache-2.0
"""The run executor of the behaviour-tree node with real runs, on a clock of the test's own and without a graph."""

import json
from types import SimpleNamespace

from embodiment_bridge.action import ExecuteBml
from std_msgs.msg import String

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.base.conditions import Compare
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillStatus
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.nodes.body import keep_alive
from embodiment_bridge.nodes.body.keep_alive import LOOK_S
from embodiment_bridge.nodes.tree.runs.document_rules import SAFETY_PARAMETERS
from embodiment_bridge.nodes.tree.runs.run_controls import GONE_S, RunControls
from embodiment_bridge.nodes.tree.runs.run_executor import RunExecutor

LAG_S = 0.3  # until the body is at rest, holds, or goes on
SHAKES = {"type": "body", "action": "HEAD_SHAKE"}  # without an end
SKILLS = {"head_shake": SkillInfo("head_shake", "motion", ("head",), 1.0, 0.1)}
DEAD_MAN = next(one.default for one in SAFETY_PARAMETERS if one.name == "dead_man")


class SlowBody:
    """A skill port that does what it is asked for ``LAG_S`` later; its skills have no end of their own."""

    def __init__(self, now):
        self.now = now
        self.held = False
        self.held_from = 0.0
        self.canceled = {}

    def start(self, request):
        self.canceled[request.id] = None

    def report(self, request_id):
        canceled = self.canceled[request_id]
        rests = canceled is not None and self.now() >= canceled + LAG_S
        held = self.held if self.now() >= self.held_from else not self.held
        return SkillReport(request_id, SkillStatus.CANCELED if rests else SkillStatus.RUNNING, held=held)

    def cancel(self, request_id):
        self.canceled[request_id] = self.now()

    def hold(self, on):
        if on != self.held:
            self.held, self.held_from = on, self.now() + LAG_S


class FakeNode:
    """Timers fire when the test calls them."""

    active = True
    stands_still = ""

    def __init__(self):
        self.values = {
            "blackboard_max_age": 0.0,
            "team_values": False,
            "dead_man": DEAD_MAN,
            "tick_rate": 50.0,
        }
        self.timers = []
        self.services = {}

    def create_timer(self, period, callback, clock=None):
        self.timers.append((period, callback))
        return self.timers[-1]

    def destroy_timer(self, timer):
        self.timers.remove(timer)

    def create_subscription(self, kind, name, callback, qos):
        if kind is String:
            self.hear = callback
        elif name == "body_status":
            self.told = callback

    def create_publisher(self, kind, name, qos):
        return SimpleNamespace(publish=lambda message: None)

    def create_service(self, kind, name, callback):
        self.services[name] = callback

    def get_parameter(self, name):
        return SimpleNamespace(value=[""])

    def add_on_set_parameters_callback(self, callback): ...

    def get_logger(self):
        return SimpleNamespace(warning=lambda text: None)


class Played:
    """Stands for a ``GoalRun``: keeps what a client would be told of the end."""

    def __init__(self, run, run_id, body, checked, is_cancel_requested):
        self.run, self.run_id, self.checked, self.body = run, run_id, checked, body
        self.goal = SimpleNamespace(run_id=run_id, is_cancel_requested=is_cancel_requested)
        self.told = []

    def feed(self, values): ...

    def note_clock(self, still): ...

    def tell(self):
        if self.run.ending is not None:
            self.told.append(self.run.ending.outcome.value)


class PerformerStage:
    """A run executor, the services of people, and clients that are heard or not."""

    def __init__(self, monkeypatch, files=None):
        self.now = 100.0
        monkeypatch.setattr(keep_alive.DeadMan.__init__, "__defaults__", (lambda: self.now, True))
        self.node, self.vetoed, self.runs, self.files = FakeNode(), False, {}, files
        guard = Compare("charge", ">=", 15)
        rules = SimpleNamespace(sources=(), guards=[guard])
        ports = SimpleNamespace(
            rules=rules,
            audio=SimpleNamespace(serve=lambda: None),
            forget=lambda run_id: None,
            body=SimpleNamespace(skills=SKILLS),
        )
        viewers = SimpleNamespace(
            publish=lambda run_id, run: None,
            rest=lambda paused: None,
            streams=SimpleNamespace(ticked=lambda began, ended: None),
        )
        self.run_executor = RunExecutor(self.node, ports, files, viewers, lambda: self.now)
        monkeypatch.setattr(self.run_executor.feed, "values", lambda: {"charge": 10 if self.vetoed else 80})
        self.scheduler = self.run_executor.scheduler
        RunControls(self.node, self.scheduler, self.run_executor.tick, self.run_executor.clients, lambda _: 0)

    def goal(self, run_id, document=None, *, source="", breakpoints=(), canceled=False, **wishes):
        """Submit a run; returns why not."""
        body = SlowBody(lambda: self.now)
        logged = {} if self.files is None else {"write": self.files.begin(run_id)}
        run = (LoggedRun if logged else Run)(
            json.dumps(document or SHAKES),
            Ports(body, VirtualMedia({}), VirtualRequests({})),
            Rules(SKILLS),
            run_id=run_id,
            **logged,
        )
        request = ExecuteBml.Goal(source=source, **wishes)
        checked = SimpleNamespace(request=request, breakpoints=breakpoints, suspendable=False)
        self.runs[run_id] = Played(run, run_id, body, checked, canceled)
        try:
            self.run_executor.submit(self.runs[run_id])
        except BridgeError as error:
            return str(error)
        return ""

    def control(self, name):
        """What a person does; returns the message of the service."""
        return self.node.services[f"~/{name}"](None, SimpleNamespace()).message

    def passes(self, seconds, heard=()):
        """Time goes by while these clients are heard; the node ticks only where it would."""
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.now += LOOK_S
            for source in heard:
                self.node.hear(String(data=source))
            for period, callback in list(self.node.timers):
                if (period, callback) in self.node.timers and period <= LOOK_S:
                    callback()

    def gives_up(self):
        """The time is over that a silent client has."""
        (callback,) = [callback for period, callback in self.node.timers if period == GONE_S]
        callback()

    def state(self, run_id):
        return self.runs[run_id].run.state.name

    def told(self, run_id):
        """The outcomes that the client was told: one, once the run has ended."""
        return self.runs[run_id].told

    def started(self, run_id):
        """How many skills it has begun."""
        return len(self.runs[run_id].body.canceled)

    def warnings(self, run_id):
        return self.runs[run_id].run.warnings
