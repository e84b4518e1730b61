# SPDX-License-Identifier: Apache-2.0
"""One body as the launch file starts it, and four brains that take turns on it with the same documents."""

import json
import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest
from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.msg import LinkState, NodeEvent, SkillList
from embodiment_bridge.srv import Beam
from graph_stage import Stage
from matrix_judge import HERE, MOVED_BASE, MOVED_JOINT, Scene, shown
from mcp.client.client import Client
from waiting import GRAPH, PROCESS, SIMULATION
from world_watcher import WorldWatcher

from embodiment_bridge.cli.demos.bodies import free_ports
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.mcp_server.host import Options
from embodiment_bridge.mcp_server.server import RobotServer
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.watcher import LINKS
from embodiment_bridge.nodes.tree.behavior_tree import BehaviorTree
from embodiment_bridge.plans.action import snake_case
from embodiment_bridge.plans.plan_file import vocabulary
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.standins.bml.server import BmlPeer
from embodiment_bridge.standins.mcp_host.script import ScriptedHost
from embodiment_bridge.standins.oac.stand_in import OacPeer

ROOT = Path(__file__).parents[1]
DATA = ROOT / "test/data/matrix"
NAMESPACE = f"cell{os.getpid()}"  # two runs of the tests on one machine may share a ROS domain
SEEN_S = 5.0  # for which the world may take to show what was done, on a busy machine
LATE_S = 0.5  # by which the world may be seen later than the end of a step is told
UNSEEN = "done by its word, but the world does not show it"
BODIES = ("mock", "rcsssmj", "simspark", "maeden", "virtual_servos", "mujoco")
WITH_MONITOR = ("rcsssmj", "simspark")
NEAR_THE_BALL = {"x": -1.5, "y": 0.5}  # it is in the middle; from elsewhere a walk there takes minutes
KEY_ROOM = {"x": "-2.0", "y": "0.0"}  # where the key lies in room.txt, m from the start
BESIDE = (0.0, 0.5 * math.pi)  # rad from the heading: the places to walk to, a metre away
SETTLED = 75  # percepts after a beam in which a robot comes to rest: 1.5 s
SEED_HOST = "gxrobot.com"  # that the examples of the behaviour language fetch from
VOICE = {"type": "player", "action": "play", "url": f"http://{SEED_HOST}/voice?id=AABBCCDDEEFFGGHHIIJJ.wav"}
ENDS = ("success", "failure", "skipped", "replaced", "halted")
STATUS = {
    ExecuteSkill.Result.SKIPPED: "skipped",
    ExecuteSkill.Result.REPLACED: "replaced",
    ExecuteSkill.Result.CANCELED: "canceled",
    ExecuteSkill.Result.FAILED: "failed",
}


@dataclass
class Outcome:
    """What a brain got out of a body. moved: ``joints``, ``base``; not_done: why, by step; fell: whether it lay."""

    done: list[str] = field(default_factory=list)
    not_done: dict[str, str] = field(default_factory=dict)
    moved: list[str] = field(default_factory=list)
    fell: bool = False


@dataclass(frozen=True)
class Step:
    """A step as the brain was told of it: when it was, s of ``time.time``, and why it was not done."""

    name: str
    since: float
    until: float
    why_not: str = ""


def place(body: str, folder: Path) -> dict[str, str]:
    """Where the body's peer listens in a test, so that it meets nobody else's; users take the usual places."""
    if body == "mock":
        return {}
    if body == "mujoco":
        return {"model": "desk_humanoid_walking"}
    if body == "virtual_servos":
        return {"port": str(folder / "servos")}
    port, monitor_port = map(str, free_ports(2))
    if body == "maeden":
        return {"port": port, "world": str(DATA / "room.txt")}
    return {"port": port, **({"monitor_port": monitor_port} if body in WITH_MONITOR else {})}


def patient(folder: Path, more: str = "") -> Path:
    """A parameter file for an agent in a grid world whose server may wait long for its turn on this machine."""
    file = folder / "patient.yaml"
    text = f"/**: {{ros__parameters: {{autostart: true, reply_timeout: 30.0{more}}}}}\n"
    file.write_text(text, encoding="utf-8")
    return file


def plan_of(names: Sequence[str]) -> str:
    """A plan of these actions, with what each has to know."""
    examples = {
        "vector": '<vector x="@X@" y="@Y@" z="0"/>',
        "rotation": '<rotation pitch="0" roll="0" yaw="0.5"/>',
        "entity": '<entity id="@THING@" type="object"/>',
    }
    text = ""
    for sequence, name in enumerate(names, start=1):
        values = {"float": "50" if name == "rotate" else "1", "int": "1", "string": "hello"}
        text += f'<action name="{name}" sequence="{sequence}">'
        for slot in vocabulary()[name]:
            if slot.mandatory or (slot.name, name[-5:]) == ("duration", "_eyes"):  # a light that is seen
                value = f' value="{values[slot.type]}"' if slot.type in values else ""
                text += f'<param name="{slot.name}" type="{slot.type}"{value}>{examples.get(slot.type, "")}</param>'
        text += "</action>"
    return f'<oc:action-plan xmlns:oc="http://www.opencog.org/brain" entity-id="fido" id="@ID@">{text}</oc:action-plan>'


class MatrixStage(Stage):
    """The graph of ``bringup.launch.xml body:=BODY brain:=opencog start_peer:=true``, with an OAC that waits."""

    def __init__(self, body: str, folder: Path) -> None:
        self.body = body
        self.told: list[str] = []
        self._events: list[tuple[float, NodeEvent]] = []
        self._link = ""
        self._parameters: dict[str, list[str]] = {}
        self._plans = 0
        with ExitStack() as stack:
            self._start(stack, body, folder)
            self._open = stack.pop_all()

    def _start(self, stack: ExitStack, body: str, folder: Path) -> None:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)  # for stand-ins: these sources
        patch.setenv("ROS_HOME", str(folder))
        self.oac = stack.enter_context(OacPeer(script="none"))
        seed = stack.enter_context(BmlPeer(songs=1, voice=0.2, music=0.3))
        fetch = f", fetch_plain_http: true, fetch_host_map: ['{SEED_HOST}=127.0.0.1:{seed.port}']"
        arguments = {"body": body, "brain": "opencog", "start_peer": "true", "on_error": "continue"}
        arguments["namespace"] = NAMESPACE
        arguments |= {"router_port": str(self.oac.port), "params": str(patient(folder, fetch))}
        arguments |= place(body, folder)
        plan = read_launch(
            ROOT / "launch/bringup.launch.xml", arguments, find_share=lambda _: ROOT, environment=os.environ
        )
        super().__init__(stack.enter_context(Graph(plan, self.told.append)), NAMESPACE)
        stack.callback(super().close)
        (self.tree,) = (node for node in self.runtime._nodes if isinstance(node, BehaviorTree))
        for kind, topic, role, take in (
            (NodeEvent, "behavior_tree/events", "events", self._take_event),
            (LinkState, "opencog_bridge/link_state", "latched", self._take_link),
            (SkillList, "skills", "latched", self._take_skills),
        ):
            self.watcher.create_subscription(kind, topic, take, profile(role))
        self.seen = WorldWatcher(NAMESPACE, self.runtime.context.get_domain_id())
        stack.callback(self.seen.close)
        self.until(self._joined)
        # The threads of the sound player begin now, and not within one cell.
        self.run(json.dumps(VOICE))
        if body in ("virtual_servos", "mujoco"):
            assert self._ask("say", {"text": "ready"}) == ""

    def close(self) -> None:
        """End everything."""
        self._open.close()

    def why(self) -> Any:
        """How the link is, and what the graph has told."""
        return self.body, self.watcher.link, self.watcher.reason, self.told

    # The brains.

    def perform_bml(self, *documents: str) -> Outcome:
        """Goals of `execute_bml`: a list of actions each, one after the other."""
        self._begin()
        steps = []
        for text in documents or ((DATA / "performance.json").read_text(encoding="utf-8"),):
            names = {
                f"/behaviors/{i}": leaf.get("action", leaf["type"])
                for i, leaf in enumerate(json.loads(text).get("behaviors", ()))
            }
            self._events.clear()
            if self.body == "maeden":
                self._place_on_the_key()
            result = self.run(text)
            assert (result.outcome, result.reason) == ("SUCCEEDED", ""), result
            self.until(
                lambda names=names: {e.pointer for _, e in self._events if e.event in ENDS} >= set(names)
            )
            steps += [self._step(pointer, name, self._why_not(pointer)) for pointer, name in names.items()]
        return self._finish(steps)

    def _step(self, pointer: str, name: str, why_not: str) -> Step:
        mine = [(when, e.event in ENDS) for when, e in self._events if e.pointer == pointer]
        since = min((when for when, _ in mine), default=math.inf)
        return Step(name, since, max((when for when, ended in mine if ended), default=math.inf), why_not)

    def _why_not(self, pointer: str) -> str:
        """What was warned of; a document goes on after an action that the body cannot do."""
        told = [e for _, e in self._events if e.pointer == pointer and e.code in ("SKIPPED", "REPLACED")]
        return "".join(f"{event.code.lower()}: {event.message}" for event in told)

    def perform_opencog(self) -> Outcome:
        """A plan of the OAC, through Router, bridge and `execute_action_plan`."""
        self._begin()
        return self._finish(self._plan((DATA / "plan.xml").read_text(encoding="utf-8")))

    def _plan(self, plan: str) -> list[Step]:
        """What became of the actions of a plan that is about the thing and the place of the scene."""
        brain, scene = self.oac.brains["fido"], self._scene
        self._plans += 1
        values = {"ID": self._plans, "THING": scene.thing}
        values |= {"X": round(1000 * scene.place[0]), "Y": round(1000 * scene.place[1])}
        for key, value in values.items():
            plan = plan.replace(f"@{key}@", str(value))
        number, mine = plan.count("<action "), str(self._plans)
        self._events.clear()
        self.oac.do(lambda: self.oac.router.send("fido", "PROXY", 1, plan.encode()))

        def reports() -> list[Any]:
            return [one for one in list(brain.record.reports) if str(one.plan_id) == mine]

        self.until(lambda: len(reports()) >= number, SIMULATION)
        steps = []
        for report in reports():
            reason = "".join(p.value for p in report.params if p.name == "reason")
            why_not = "" if report.status == "done" else f"error: {reason}"
            steps.append(self._step(f"/behaviors/{report.sequence - 1}", report.name, why_not))
        return steps

    def perform_actions(self) -> Outcome:
        """Each action that an OAC knows, ten in a plan."""
        self._begin()
        names, steps = list(vocabulary()), []
        for first in range(0, len(names), 10):
            steps += self._plan(plan_of(names[first : first + 10]))
        return self._finish(steps)

    def perform_ros(self) -> Outcome:
        """A ROS program that looks what the body can do, and asks for some of it."""
        self._begin()
        steps = []
        for wish in json.loads((DATA / "skills.json").read_text(encoding="utf-8")):
            since, name = time.time(), wish["name"]
            why_not = self._ask(name, wish.get("parameters", {}), wish.get("slot", 0.0))
            steps.append(Step(name, since, time.time(), why_not))
        return self._finish(steps)

    def perform_mcp(self) -> Outcome:
        """The stand-in for the host of a language model, by the real client of the protocol."""
        self._begin()
        ended: Future[Outcome] = Future()
        thread = threading.Thread(target=lambda: ended.set_result(anyio.run(self._host)))
        thread.start()
        self.until(ended.done, PROCESS)
        thread.join()
        outcome = self._finish([])
        return replace(ended.result(), moved=outcome.moved, fell=outcome.fell)

    # The scene.

    @property
    def _scene(self) -> Scene:
        thing = "key" if self.body == "maeden" else "ball"
        return Scene(thing, self._goal, not self.seen.places, bool(self.seen.joints))

    def _begin(self) -> None:
        """Put the body where the thing is that a document is about; it may have done anything before."""
        if self.body in WITH_MONITOR:
            self._place_near_the_ball()
        if self.body == "maeden":
            self._place_on_the_key()
        self._goal = (0.0, 0.0)
        if self.seen.places:
            at = self.seen.places[-1]
            ways = [(at.x + math.cos(at.yaw + beside), at.y + math.sin(at.yaw + beside)) for beside in BESIDE]
            things = self.seen.where(self._scene.thing)[-1:]  # a robot that walks onto a ball may fall
            self._goal = next(way for way in ways if all(math.dist(way, thing) > HERE for thing in things))
        self._begun = time.time()

    def _place_near_the_ball(self) -> None:
        answer = self.call(Beam, "beam", **NEAR_THE_BALL)
        assert answer.success, answer.message
        self.until(lambda: math.hypot(self.watcher.x, self.watcher.y) < 2.0 * abs(NEAR_THE_BALL["x"]))
        landed = self.watcher.percepts + SETTLED
        self.until(lambda: self.seen.where("ball") and self.watcher.percepts > landed)
        self.until(lambda: self.watcher.posture == "standing")

    def _place_on_the_key(self) -> None:
        self.until(lambda: self.seen.where("key"))
        if not self.seen.held(0.0)[-1]:
            assert self._ask("go_to", {"thing": "key"}) == ""
            assert self._ask("grab", {"thing": "key"}) == ""
        assert self._ask("go_to", KEY_ROOM) == ""
        assert self._ask("go_to", {"yaw": str(math.pi)}) == ""  # as it began
        assert self._ask("drop", {"thing": "key"}) == ""
        self.until(lambda: not self.seen.held(0.0)[-1])

    async def _host(self) -> Outcome:
        said: list[str] = []
        robot = await anyio.to_thread.run_sync(lambda: Robot(NAMESPACE, source="mcp", wait=GRAPH))
        with robot:
            async with Client(RobotServer(robot, Options(), said.append), mode="legacy") as client:
                host = ScriptedHost(client, said.append)
                await host.perform()
        return Outcome(host.done, host.not_done)

    def _ask(self, name: str, parameters: Mapping[str, str], slot: float = 0.0) -> str:
        """Why a skill was not done; empty when it was. The body says which parameters it takes."""
        if name not in self._parameters:
            return "not in the list of skills"
        taken = {key: value for key, value in parameters.items() if key in self._parameters[name]}
        result = self.skill(name, slot, **taken)
        if result.status == result.SUCCEEDED:
            return ""
        return f"{STATUS[result.status]}: {result.reason}"

    # What is seen.

    def _joined(self) -> bool:
        watcher, brain = self.watcher, self.oac.brains["fido"]
        return (
            watcher.link == "ready"
            and watcher.posture in ("standing", "unknown")
            and bool(self._parameters)
            and bool(self.tree.skills)
            and self.bml.server_is_there
            and self.skills.server_is_ready()
            and self._link == "ready"
            and "fido" in brain.known
        )

    @property
    def fell(self) -> bool:
        """Whether the body lay since the last brain began."""
        return self.seen.fell(self._begun)

    def _finish(self, steps: Sequence[Step]) -> Outcome:
        """The outcome, as soon as the world shows all that is said to be done, or it does not within ``SEEN_S``."""
        deadline, scene = time.monotonic() + SEEN_S, self._scene

        def unseen() -> list[str]:
            ends = [max(one.until, after.since) + LATE_S for one, after in pairwise(steps)] + [math.inf]
            return [
                one.name
                for one, end in zip(steps, ends, strict=False)
                if not one.why_not and not shown(snake_case(one.name), scene, self.seen, one.since, end)
            ]

        while unseen() and time.monotonic() < deadline:
            self.spin(0.2)
        not_done = dict.fromkeys(unseen(), UNSEEN) | {one.name: one.why_not for one in steps if one.why_not}
        outcome = Outcome(
            [name for name in dict.fromkeys(one.name for one in steps) if name not in not_done], not_done
        )
        if self.seen.travel("", self._begun) > MOVED_JOINT:
            outcome.moved.append("joints")
        if self.seen.away(self._begun) > MOVED_BASE:
            outcome.moved.append("base")
        return replace(outcome, fell=self.fell)

    def _take_event(self, event: NodeEvent) -> None:
        stamp = event.header.stamp
        self._events.append((stamp.sec + 1e-9 * stamp.nanosec, event))

    def _take_link(self, message: LinkState) -> None:
        self._link = LINKS.get(message.state, "unknown")

    def _take_skills(self, message: SkillList) -> None:
        self._parameters = {skill.name: list(skill.parameters) for skill in message.skills}
