# SPDX-License-Identifier: Apache-2.0
"""One body as the launch file starts it, and four brains that take turns on it with the same documents."""

import json
import math
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.msg import EntityArray, LinkState, NodeEvent, SkillList
from embodiment_bridge.srv import Beam
from graph_stage import Stage
from mcp.client.client import Client
from sensor_msgs.msg import JointState
from waiting import GRAPH, PROCESS

from embodiment_bridge.cli.demos.bodies import free_ports
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.mcp_server.options import Options
from embodiment_bridge.mcp_server.server import RobotServer
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.watcher import LINKS
from embodiment_bridge.nodes.tree.behavior_tree import BehaviorTree
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.standins.mcp_host.script import ScriptedHost
from embodiment_bridge.standins.oac.stand_in import OacPeer

ROOT = Path(__file__).parents[1]
DATA = ROOT / "test/data/matrix"
NAMESPACE = f"cell{os.getpid()}"  # two runs of the tests on one machine may share a ROS domain
MOVED_JOINT = 0.1  # rad
MOVED_BASE = 0.03  # m
BODIES = ("mock", "rcsssmj", "simspark", "maeden", "virtual_servos", "mujoco")
WITH_MONITOR = ("rcsssmj", "simspark")
NEAR_THE_BALL = {"x": -1.5, "y": 0.5}  # it is in the middle; from elsewhere a walk there takes minutes
SETTLED = 75  # percepts after a beam in which a robot comes to rest: 1.5 s
ENDS = ("success", "failure", "skipped", "replaced", "halted")
STATUS = {
    ExecuteSkill.Result.SKIPPED: "skipped",
    ExecuteSkill.Result.REPLACED: "replaced",
    ExecuteSkill.Result.CANCELED: "canceled",
    ExecuteSkill.Result.FAILED: "failed",
}


@dataclass
class Outcome:
    """What a brain got out of a body. moved: ``joints``, ``base``; not_done: why, by step."""

    done: list[str] = field(default_factory=list)
    not_done: dict[str, str] = field(default_factory=dict)
    moved: list[str] = field(default_factory=list)

    def note(self, step: str, why_not: str) -> None:
        """One step has ended."""
        if why_not:
            self.not_done[step] = why_not
        else:
            self.done.append(step)


def place(body: str, folder: Path) -> dict[str, str]:
    """Where the body's peer listens in a test, so that it meets nobody else's; users take the usual places."""
    if body == "mock":
        return {}
    if body == "mujoco":
        return {
            "base": "fixed"
        }  # in a stand: it has no hip roll, and falls over a foot that it lifts too long
    if body == "virtual_servos":
        return {"port": str(folder / "servos")}
    port, monitor_port = map(str, free_ports(2))
    if body == "maeden":
        return {"port": port, "params": str(patient(folder))}
    return {"port": port, **({"monitor_port": monitor_port} if body in WITH_MONITOR else {})}


def patient(folder: Path) -> Path:
    """A parameter file for an agent in a grid world whose server may wait long for its turn on this machine."""
    file = folder / "patient.yaml"
    file.write_text("/**: {ros__parameters: {autostart: true, reply_timeout: 30.0}}\n", encoding="utf-8")
    return file


class MatrixStage(Stage):
    """The graph of ``bringup.launch.xml body:=BODY brain:=opencog start_peer:=true``, with an OAC that waits."""

    def __init__(self, body: str, folder: Path) -> None:
        self.body = body
        self.told: list[str] = []
        self._events: list[NodeEvent] = []
        self._first: dict[str, float] = {}
        self._travel = 0.0
        self._away = 0.0
        self._link = ""
        self._parameters: dict[str, list[str]] = {}
        self._seen: set[str] = set()  # kinds of things in view
        with ExitStack() as stack:
            self._start(stack, body, folder)
            self._open = stack.pop_all()

    def _start(self, stack: ExitStack, body: str, folder: Path) -> None:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)  # for stand-ins: these sources
        patch.setenv("ROS_HOME", str(folder))
        self.oac = stack.enter_context(OacPeer(script="none"))
        arguments = {"body": body, "brain": "opencog", "start_peer": "true", "on_error": "continue"}
        arguments["namespace"] = NAMESPACE
        arguments |= {"router_port": str(self.oac.port), **place(body, folder)}
        plan = read_launch(
            ROOT / "launch/bringup.launch.xml", arguments, find_share=lambda _: ROOT, environment=os.environ
        )
        super().__init__(stack.enter_context(Graph(plan, self.told.append)), NAMESPACE)
        stack.callback(super().close)
        (self.tree,) = (node for node in self.runtime._nodes if isinstance(node, BehaviorTree))
        for kind, topic, role, take in (
            (NodeEvent, "behavior_tree/events", "events", self._events.append),
            (JointState, "joint_states", "sensor", self._take_joints),
            (LinkState, "opencog_bridge/link_state", "latched", self._take_link),
            (SkillList, "skills", "latched", self._take_skills),
            (EntityArray, "entities", "sensor", self._take_entities),
        ):
            self.watcher.create_subscription(kind, topic, take, profile(role))
        self.until(self._joined)
        if body in (
            "virtual_servos",
            "mujoco",
        ):  # the threads of the sound player begin now, and not within one cell
            assert self._ask("say", {"text": "ready"}) == ""

    def close(self) -> None:
        """End everything."""
        self._open.close()

    def why(self) -> Any:
        """How the link is, and what the graph has told."""
        return self.body, self.watcher.link, self.watcher.reason, self.told

    # The brains.

    def perform_bml(self) -> Outcome:
        """A goal of `execute_bml`."""
        text = (DATA / "performance.json").read_text(encoding="utf-8")
        names = {f"/behaviors/{i}": leaf["action"] for i, leaf in enumerate(json.loads(text)["behaviors"])}
        self._begin()
        result = self.run(text)
        assert (result.outcome, result.reason) == ("SUCCEEDED", ""), result
        self.until(lambda: {e.pointer for e in self._events if e.event in ENDS} >= set(names))
        outcome = Outcome()
        for event in list(self._events):
            if event.pointer in names and event.event in ENDS:
                outcome.note(names[event.pointer], self._why_not(event.pointer))
        return self._finish(outcome)

    def _why_not(self, pointer: str) -> str:
        """What was warned of; a document goes on after an action that the body cannot do."""
        told = [e for e in self._events if e.pointer == pointer and e.code in ("SKIPPED", "REPLACED")]
        return "".join(f"{event.code.lower()}: {event.message}" for event in told)

    def perform_opencog(self) -> Outcome:
        """A plan of the OAC, through Router, bridge and `execute_action_plan`."""
        plan = (DATA / "plan.xml").read_bytes()
        brain = self.oac.brains["fido"]
        self._begin()
        self.oac.do(lambda: self.oac.router.send("fido", "PROXY", 1, plan))
        number = plan.count(b"<action ")
        self.until(lambda: len(brain.record.reports) >= number)
        outcome = Outcome()
        for report in list(brain.record.reports):
            reasons = [p.value for p in report.params if p.name == "reason"]
            outcome.note(report.name, "" if report.status == "done" else f"error: {''.join(reasons)}")
        return self._finish(outcome)

    def perform_ros(self) -> Outcome:
        """A ROS program that looks what the body can do, and asks for some of it."""
        self._begin()
        outcome = Outcome()
        for wish in json.loads((DATA / "skills.json").read_text(encoding="utf-8")):
            name = wish["name"]
            outcome.note(name, self._ask(name, wish.get("parameters", {})))
        return self._finish(outcome)

    def perform_mcp(self) -> Outcome:
        """The stand-in for the host of a language model, by the real client of the protocol."""
        if self.body in WITH_MONITOR:
            self._place_near_the_ball()
        self._begin()
        ended: Future[Outcome] = Future()
        thread = threading.Thread(target=lambda: ended.set_result(anyio.run(self._host)))
        thread.start()
        self.until(ended.done, PROCESS)
        thread.join()
        return self._finish(ended.result())

    def _place_near_the_ball(self) -> None:
        answer = self.call(Beam, "beam", **NEAR_THE_BALL)
        assert answer.success, answer.message
        self.until(lambda: math.hypot(self.watcher.x, self.watcher.y) < 2.0 * abs(NEAR_THE_BALL["x"]))
        self._seen.clear()
        landed = self.watcher.percepts + SETTLED
        self.until(lambda: "ball" in self._seen and self.watcher.percepts > landed)
        self.until(lambda: self.watcher.posture == "standing")

    async def _host(self) -> Outcome:
        said: list[str] = []
        robot = await anyio.to_thread.run_sync(lambda: Robot(NAMESPACE, source="mcp", wait=GRAPH))
        with robot:
            async with Client(RobotServer(robot, Options(), said.append), mode="legacy") as client:
                host = ScriptedHost(client, said.append)
                await host.perform()
        return Outcome(host.done, host.not_done)

    def _ask(self, name: str, parameters: Mapping[str, str]) -> str:
        """Why a skill was not done; empty when it was. The body says which parameters it takes."""
        if name not in self._parameters:
            return "not in the list of skills"
        taken = {key: value for key, value in parameters.items() if key in self._parameters[name]}
        result = self.skill(name, **taken)
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

    def _begin(self) -> None:
        self._events.clear()
        self._first.clear()
        self._travel = self._away = 0.0
        self.watcher.mark()

    def _finish(self, outcome: Outcome) -> Outcome:
        if self._travel > MOVED_JOINT:
            outcome.moved.append("joints")
        if max(self._away, self.watcher.distance) > MOVED_BASE:
            outcome.moved.append("base")
        return outcome

    def _take_joints(self, message: JointState) -> None:
        for name, position in zip(message.name, message.position, strict=False):
            if math.isfinite(position):
                self._travel = max(self._travel, abs(position - self._first.setdefault(name, position)))
        self._away = max(self._away, self.watcher.distance)

    def _take_entities(self, message: EntityArray) -> None:
        self._seen |= {one.kind for one in message.entities if one.visible}

    def _take_link(self, message: LinkState) -> None:
        self._link = LINKS.get(message.state, "unknown")

    def _take_skills(self, message: SkillList) -> None:
        self._parameters = {skill.name: list(skill.parameters) for skill in message.skills}
