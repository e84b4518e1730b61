# SPDX-License-Identifier: Apache-2.0
"""Two brains on one robot, and on two robots in one simulator, by the launch files of docs/any_brain_any_body.md."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.msg import EntityArray, HeardMessage, NodeEvent
from embodiment_bridge.srv import Beam
from graph_stage import Stage
from opencog_stage import ENVELOPE, action
from real_server import free_ports
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.behavior_tree import BehaviorTree
from embodiment_bridge.standins.oac.stand_in import OacPeer

ROOT = Path(__file__).parents[2]
SETTLED = 100  # percepts
ARM = "l_shoulder_pitch"
ROTATE = '<param name="angle" type="float" value="-120"/>'


class Two(Stage):
    """The graph of one launch file of the page, an OAC, and who looks and sends documents in each namespace."""

    def __init__(self, folder: Path, launch: int, namespaces: tuple[str, ...], **arguments: str) -> None:
        page = (ROOT / "docs/any_brain_any_body.md").read_text(encoding="utf-8")
        file = folder / "two.launch.xml"
        file.write_text(page.split("```xml\n")[1 + launch].split("```")[0], encoding="utf-8")
        self.told: list[str] = []
        self.warnings: list[str] = []  # codes, of documents
        with ExitStack() as stack:
            self.oac = stack.enter_context(OacPeer(script="none"))
            arguments["router_port"] = str(self.oac.port)
            plan = read_launch(file, arguments, find_share=lambda _: ROOT, environment=os.environ)
            super().__init__(stack.enter_context(Graph(plan, self.told.append)), namespaces[-1])
            stack.callback(super().close)
            runtime = self.runtime
            others = [
                runtime.add(Watcher(context=runtime.context, namespace=name)) for name in namespaces[:-1]
            ]
            self.watchers = [*others, self.watcher]
            trees = [node for node in runtime._nodes if isinstance(node, BehaviorTree)]
            self.listen({"behavior_tree/events": (NodeEvent, "events")}, self._take_event)
            self.until(lambda: all(tree.skills for tree in trees))
            self.until(lambda: self.bml.server_is_there)
            self.until(lambda: "fido" in self.oac.brains["fido"].known)
            self._open = stack.pop_all()

    def close(self) -> None:
        self._open.close()

    def _take_event(self, _: str, event: NodeEvent) -> None:
        if event.event == "warning":
            self.warnings.append(event.code)

    def why(self) -> Any:
        return self.told, [(one.link, one.reason) for one in self.watchers]

    def plan(self, *actions: str) -> None:
        """The OAC sends a plan."""
        text = ENVELOPE.format("fido", "4", "".join(actions)).encode()
        self.oac.do(lambda: self.oac.router.send("fido", "PROXY", 1, text))

    def perform(self, behaviour: str, **fields: float) -> None:
        """A document of one action begins."""
        self.bml.send(json.dumps({"type": "body", "action": behaviour, **fields}), source="test")

    @property
    def reports(self) -> list[tuple[str, str, str]]:
        """What the OAC was told of its plan: name, status, reason."""
        found = list(self.oac.brains["fido"].record.reports)
        return [(r.name, r.status, r.params[0].value if r.params else "") for r in found if r.sequence]


@pytest.fixture
def one_robot(tmp_path) -> Iterator[Two]:
    """The mock body; documents go to the second tree."""
    stage = Two(tmp_path, 0, ("/", "/performer"), brain="opencog", use_sim_time="true", speed="4.0")
    yield stage
    stage.close()


def arm_of(stage: Two) -> list[float]:
    """Angles of an arm from now on, rad."""
    angles: list[float] = []
    stage.watchers[0].create_subscription(
        JointState,
        "joint_states",
        lambda message: angles.append(message.position[list(message.name).index(ARM)]),
        profile("sensor"),
    )
    return angles


def test_plan_walks_while_a_document_moves_the_arms(one_robot) -> None:
    arm, watcher = arm_of(one_robot), one_robot.watchers[0]
    one_robot.until(lambda: watcher.placed and arm)
    watcher.mark()
    one_robot.plan(action("rotate", 1, ROTATE))
    one_robot.until(lambda: abs(watcher.turned) > 0.1)
    one_robot.perform("HAND_PITCH")
    one_robot.until(lambda: one_robot.bml.result is not None)
    assert one_robot.bml.result.outcome == "SUCCEEDED"
    assert one_robot.reports == []  # the plan still turns
    one_robot.until(lambda: one_robot.reports)
    assert one_robot.reports == [("rotate", "done", "")]
    assert one_robot.warnings == []
    assert min(arm) < -0.8
    assert watcher.turned > 1.8


def test_plan_takes_the_arms_from_a_document_which_goes_on(one_robot) -> None:
    arm = arm_of(one_robot)
    one_robot.until(lambda: arm)
    one_robot.perform("HAND_PITCH", duration=6.0)
    one_robot.until(lambda: arm[-1] < -0.2)
    one_robot.plan(action("stretch"))
    one_robot.until(lambda: one_robot.reports)
    assert one_robot.reports == [("stretch", "done", "")]
    one_robot.until(lambda: one_robot.bml.result is not None and one_robot.warnings)
    assert one_robot.bml.result.outcome == "SUCCEEDED"
    assert one_robot.warnings == ["REPLACED"]


def test_document_takes_the_arms_from_a_plan_which_is_told(one_robot) -> None:
    arm = arm_of(one_robot)
    one_robot.until(lambda: arm)
    one_robot.plan(action("dance1", 1), action("drop", 2))
    one_robot.until(lambda: abs(arm[-1]) > 0.1)
    one_robot.perform("HAND_PITCH")
    one_robot.until(lambda: one_robot.reports and one_robot.bml.result is not None)
    ((name, status, reason),) = one_robot.reports
    assert (name, status) == ("dance1", "error")
    assert "hand_roll was replaced: channel taken by" in reason
    assert one_robot.bml.result.outcome == "SUCCEEDED"
    assert one_robot.warnings == []


def test_two_robots_with_a_brain_each_see_and_hear_each_other(tmp_path) -> None:
    port, monitor_port = map(str, free_ports())
    stage = Two(tmp_path, 1, ("/robot1", "/robot2"), port=port, monitor_port=monitor_port)
    try:
        seen: list[set[str]] = [set(), set()]
        heard: list[list[HeardMessage]] = [[], []]
        voices = [one.create_publisher(String, "say", profile("command")) for one in stage.watchers]
        for index, watcher in enumerate(stage.watchers):
            watcher.create_subscription(
                EntityArray,
                "entities",
                lambda m, index=index: seen[index].update(entity.id for entity in m.entities),
                profile("sensor"),
            )
            watcher.create_subscription(HeardMessage, "heard", heard[index].append, profile("events"))
        stage.until(lambda: all(w.link == "ready" and w.posture == "standing" for w in stage.watchers))
        face_to_face(stage)
        stage.until(lambda: "player_bridge_2" in seen[0] and "player_bridge_1" in seen[1])
        brain = stage.oac.brains["fido"]
        stage.until(lambda: "player_bridge_2" in brain.known)

        stage.plan(action("step_forward", 1), action("shake_head", 2))
        stage.perform("HAND_PITCH")
        stage.until(lambda: all(voice.get_subscription_count() for voice in voices))
        voices[0].publish(String(data="ping"))
        voices[1].publish(String(data="pong"))
        stage.until(lambda: len(stage.reports) == 2 and stage.bml.result is not None)
        assert stage.reports == [("step_forward", "done", ""), ("shake_head", "done", "")]
        assert stage.bml.result.outcome == "SUCCEEDED"
        stage.until(lambda: all(heard))
        assert [[message.text for message in messages] for messages in heard] == [["pong"], ["ping"]]
        stage.until(lambda: any(b"pong" in text for text in list(brain.record.heard)))
        stage.until(lambda: all(watcher.posture == "standing" for watcher in stage.watchers))
    finally:
        stage.close()


def face_to_face(stage: Two) -> None:
    """Put them two metres apart, each in view of the other, and let them stand for two seconds."""
    for watcher, (x, theta) in zip(stage.watchers, ((-2.0, 3.14), (-4.0, 0.0)), strict=True):
        client = watcher.create_client(Beam, "beam")
        stage.until(client.service_is_ready)
        answer = client.call_async(Beam.Request(x=x, y=0.0, theta=theta))
        stage.until(answer.done)
        assert answer.result().success
        watcher.destroy_client(client)
    before = [watcher.percepts for watcher in stage.watchers]
    stage.until(
        lambda: all(w.percepts > seen + SETTLED for w, seen in zip(stage.watchers, before, strict=True))
    )
