# SPDX-License-Identifier: Apache-2.0
"""A Maeden agent on the graph, through the launch file: its topics, its skills, BML, and how an episode ends."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.action import ExecuteActionPlan, ExecuteSkill
from embodiment_bridge.msg import (
    ActionParameter,
    ActionPlan,
    EntityArray,
    EpisodeEvent,
    GridPercept,
    HeardMessage,
    LinkState,
    NodeEvent,
    PlanAction,
    SkillList,
)
from geometry_msgs.msg import PoseStamped
from graph_stage import Stage
from matrix_stage import patient
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import BatteryState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.goal_client import PlanClient
from embodiment_bridge.standins.maeden.server import MaedenServer

ROOT = Path(__file__).parents[2]
WORLD = ROOT / "config/maeden/key_door.txt"
RESULT = ExecuteSkill.Result
TOPICS: dict[str, tuple[Any, str]] = {
    "percept": (GridPercept, "events"),
    "local_grid": (OccupancyGrid, "state"),
    "map": (OccupancyGrid, "latched"),
    "odom": (Odometry, "sensor"),
    "pose": (PoseStamped, "sensor"),
    "entities": (EntityArray, "state"),
    "battery": (BatteryState, "state"),
    "heard": (HeardMessage, "events"),
    "event": (EpisodeEvent, "latched"),
    "link_state": (LinkState, "latched"),
    "skills": (SkillList, "latched"),
    "behavior_tree/events": (NodeEvent, "events"),
    "markers": (MarkerArray, "state"),
    "/tf": (TFMessage, "events"),
}


class GridStage(Stage):
    """A server and agents in it, each as ``bringup.launch.xml body:=maeden`` starts one."""

    def __init__(
        self, stack: ExitStack, folder: Path, server: MaedenServer, name: str, **arguments: str
    ) -> None:
        given = {"body": "maeden", "port": str(server.port), "namespace": name, **arguments}
        given["params"] = str(patient(folder))
        plan = read_launch(
            ROOT / "launch/bringup.launch.xml", given, find_share=lambda _: ROOT, environment=os.environ
        )
        super().__init__(stack.enter_context(Graph(plan, lambda text: None)), name)
        stack.callback(self.close)
        self.all: dict[str, list[Any]] = {topic: [] for topic in TOPICS}
        self.listen(TOPICS, lambda topic, message: self.all[topic].append(message))
        self.until(
            lambda: (
                "pose" in self.last
                and "map" in self.last
                and self.watcher.link == "ready"
                and self.skills.server_is_ready()
                and self.bml.server_is_there
            )
        )
        assert self.do("wait", cycles=1) == ""  # the first percept may have come before this one listened
        self.until(lambda: "percept" in self.last)

    def why(self) -> Any:
        return {
            "link": (self.watcher.link, self.watcher.reason),
            "silent": sorted(TOPICS.keys() - self.last.keys()),
            "skills are served": self.skills.server_is_ready(),
            "BML is served": self.bml.server_is_there,
        }

    def do(self, name: str, **parameters: Any) -> str:
        """A skill to its end: why it failed, empty when it did not."""
        result = self.skill(name, **parameters)
        return "" if result.status == RESULT.SUCCEEDED else result.reason

    @property
    def place(self) -> tuple[int, int, str]:
        percept = self.last["percept"]
        return percept.column, percept.row, percept.heading

    def known(self, kind: str) -> list[Any]:
        return [entity for entity in self.last["entities"].entities if entity.kind == kind]


@contextmanager
def serving(**options: Any) -> Iterator[MaedenServer]:
    """A quick server where waiting costs no energy: how long an agent lives does not depend on this machine."""
    with MaedenServer(world=str(WORLD), period=0.01, **options) as one:
        world = one.simulation.world
        world.rules = replace(world.rules, idle=0)
        yield one


@pytest.fixture
def server():
    with serving() as one:
        yield one


@pytest.fixture
def stages(tmp_path):
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("ROS_HOME", str(tmp_path))
        numbers = iter(range(100))

        def make(server, **arguments):
            name = f"grid{os.getpid()}_{next(numbers)}"
            return GridStage(stack, tmp_path, server, name, **arguments)

        yield make


def test_topics_say_what_the_agent_sees(stages, server) -> None:
    stage = stages(server)
    stage.until(lambda: set(TOPICS) - {"heard", "markers", "behavior_tree/events"} <= set(stage.last))
    percept = stage.last["percept"]
    assert (percept.agent, percept.energy) == ("0", json.loads(percept.raw)[6])
    assert (0 < percept.energy <= 2000, percept.ok, percept.smell) == (True, True, "b")
    assert list(percept.view[7].things) == ["0"]
    assert percept.raw.startswith('["CONTINUE"')
    assert (stage.place, percept.pose_sure) == ((0, 0, "W"), True)
    local = stage.last["local_grid"]
    assert (local.info.width, local.info.height, local.header.frame_id) == (7, 5, "base_link")
    assert (local.info.origin.position.x, local.info.origin.position.y) == (-1.5, -2.5)
    # The start is three cells from the wall in the west: the view has it three ahead, in its column 4.
    assert [local.data[row * 7 + 4] for row in range(5)] == [100] * 5
    world = stage.last["map"]
    assert world.header.frame_id == "map"
    assert stage.last["event"].name == "CONTINUE"
    stage.until(
        lambda: (
            stage.last["battery"].percentage == pytest.approx(stage.last["percept"].energy / 2000, abs=0.01)
        )
    )
    assert abs(stage.last["pose"].pose.orientation.z) == pytest.approx(1.0)  # it looks west
    assert stage.last["odom"].child_frame_id == "base_link"
    assert stage.do("turn_right") == ""
    assert stage.do("step_forward") == ""
    stage.until(lambda: stage.last["pose"].pose.position.y == 1.0)
    (transform, *_) = [t for t in stage.last["/tf"].transforms if t.child_frame_id == "base_link"]
    assert transform.header.frame_id == "odom"
    stage.until(lambda: "markers" in stage.last and stage.last["markers"].markers)
    stage.until(lambda: stage.known("key") and stage.known("key")[0].pose.position.y == 4.0)


def test_skills_do_what_they_say_and_fail_with_a_reason(stages, server) -> None:
    stage = stages(server)
    for name, parameters, place in [
        ("step_forward", {}, (-1, 0, "W")),
        ("step_backward", {"distance": 2.0}, (1, 0, "W")),
        ("turn_left", {}, (1, 0, "S")),
        ("turn_right", {"angle": 3.14}, (1, 0, "N")),
        ("wait", {"cycles": 2}, (1, 0, "N")),
        ("walk", {"x": -2.0, "y": 1.0}, (-2, 1, None)),
        ("walk", {"entity": "key"}, (0, 4, None)),
        ("grab", {"thing": "key"}, (0, 4, None)),
        ("drop", {}, (0, 4, None)),
    ]:
        assert stage.do(name, **parameters) == "", name
        stage.until(lambda place=place: stage.place[:2] == place[:2] and place[2] in (None, stage.place[2]))
    assert "no agent is ahead" in stage.do("attack")
    assert "cannot be carried" in stage.do("grab", thing="door")
    assert "unknown thing" in stage.do("walk", entity="dragon")
    assert "more than 512 cells" in stage.do("walk", x=90000.0, y=0.0)
    assert "the simulator says that it failed" in stage.do("grab", thing="gold")
    assert "no text" in stage.do("talk", text=" ")


def test_bml_steps_forward(stages, server) -> None:
    stage = stages(server)
    stage.bml.send(json.dumps({"type": "body", "action": "STEP_FORWARD", "duration": 1}), source="test")
    stage.until(lambda: stage.bml.result is not None)
    assert stage.bml.result.outcome == "SUCCEEDED"
    stage.until(lambda: stage.place[0] < 0)


def test_the_shipped_document_fetches_the_food(stages, server) -> None:
    """Its names are the body's: ``food`` is none of the things, it stands for ``supply``, too."""
    stage = stages(server)
    stage.bml.send((ROOT / "config/maeden/key_door.json").read_text(), source="test")
    stage.until(lambda: stage.bml.result is not None)
    assert (stage.bml.result.outcome, stage.bml.result.reason) == ("SUCCEEDED", "")
    stage.until(lambda: list(stage.last["percept"].inventory) == ["+"])


def test_bml_passes_over_what_an_agent_has_not(stages, server) -> None:
    stage = stages(server)
    leaves = [("emotion", "HAPPY"), ("body", "HEAD_SHAKE"), ("body", "EYE_RED"), ("body", "STEP_BACKWARD")]
    behaviors = [{"type": kind, "action": action, "duration": 0.2} for kind, action in leaves]
    stage.bml.send(json.dumps({"type": "sequence", "behaviors": behaviors}), source="test")
    stage.until(lambda: stage.bml.result is not None)
    assert (stage.bml.result.outcome, stage.bml.result.reason) == ("SUCCEEDED", "")
    stage.until(lambda: stage.place[0] == 1)
    skipped = [event.pointer for event in stage.all["behavior_tree/events"] if event.code == "SKIPPED"]
    assert skipped == ["/behaviors/0", "/behaviors/1"]


def test_a_plan_walks_grabs_drops_and_eats(stages) -> None:
    with serving(eating_ends=False) as server:
        stage = stages(server)
        plans = PlanClient(stage.watcher)
        stage.until(lambda: plans.server_is_there and "skills" in stage.last)
        assert stage.do("explore", until="key") == ""

        def perform(*steps: PlanAction) -> list[tuple[str, str]]:
            sent = plans.send(ExecuteActionPlan.Goal(plan=ActionPlan(actions=list(steps))))
            stage.until(lambda: sent.result)
            return [
                (done.name, done.reason)
                for done in sent.result.actions
                if done.status in (done.DONE, done.ERROR)
            ]

        walk = PlanAction(sequence=1, name="walk", parameters=[ActionParameter(type="vector")])
        walk.parameters[0].vector.x, walk.parameters[0].vector.y = -2.0, 1.0
        grab = PlanAction(sequence=2, name="grab", parameters=[ActionParameter(type="entity", value="key")])
        assert perform(walk, grab) == [("walk", ""), ("grab", "")]
        stage.until(lambda: list(stage.last["percept"].inventory) == ["K"])
        assert perform(PlanAction(sequence=1, name="drop")) == [("drop", "")]
        stage.until(lambda: not stage.last["percept"].inventory)
        assert (stage.do("stand"), stage.do("hand_grip")) == ("", "")  # as a BML document for people has it
        stage.until(lambda: list(stage.last["percept"].inventory) == ["K"])
        assert stage.do("hand_relax") == ""
        stage.until(lambda: not stage.last["percept"].inventory)
        assert "the simulator says that it failed" in stage.do("hand_relax")
        for name in ("grab", "walk", "use"):
            assert stage.do(name, **({"entity": "door"} if name == "walk" else {"thing": "key"})) == ""
        for yaw in (math.pi / 2, -math.pi / 2, 0.0):
            turn = PlanAction(sequence=1, name="turn", parameters=[ActionParameter(type="rotation")])
            turn.parameters[0].rotation.z = yaw
            assert perform(turn) == [("turn", "")]
            stage.until(lambda yaw=yaw: abs(stage.watcher.yaw - yaw) < 0.1)
        before = stage.last["percept"].energy
        food = ActionParameter(type="entity", value="food")
        assert perform(PlanAction(sequence=1, name="eat", parameters=[food])) == [("eat", "")]
        stage.until(lambda: stage.last["percept"].energy > before)
        plans.destroy()


def test_a_walk_is_cancelled_between_two_steps(stages) -> None:
    with MaedenServer(world=str(WORLD), period=0.5) as slow:
        stage = stages(slow)
        handle = stage.ask("walk", x=-2.0, y=4.0)
        stage.until(lambda: stage.place[:2] != (0, 0))
        canceled = handle.cancel_goal_async()
        stage.until(canceled.done)
        assert stage.ended(handle).status == RESULT.CANCELED
        assert stage.do("wait", cycles=1) == ""  # its end may be told before the place of its last step
        place = stage.place
        assert stage.do("wait", cycles=2) == ""
        assert stage.place == place
        assert place[:2] != (-2, 4)


def test_exploring_and_eating_ends_the_episode_and_stays_ended(stages, server) -> None:
    stage = stages(server)
    for name, parameters in [
        ("explore", {"until": "key"}),
        ("walk", {"entity": "key"}),
        ("grab", {"entity": "key"}),
        ("explore", {"until": "door"}),
        ("walk", {"entity": "door"}),
        ("use", {"thing": "key"}),
        ("walk", {"entity": "food"}),
        ("grab", {"thing": "food"}),
    ]:
        assert stage.do(name, **parameters) == "", name
    eating = stage.ask("use", thing="food")
    stage.until(lambda: stage.last["event"].name == "SUCCESS")
    stage.until(lambda: stage.watcher.link != "ready")
    eaten = stage.ended(eating)  # the server is gone before the slot of the skill is over
    assert (eaten.status, eaten.reason) == (RESULT.SUCCEEDED, "")
    late = stage.collect(EpisodeEvent, "event", "latched")
    stage.until(lambda: late)
    assert late[-1].name == "SUCCESS"
    connects = stage.last["link_state"].connects
    stage.spin(1.5)
    assert stage.last["link_state"].connects == connects
    assert len(server.simulation.world.agents) <= 1  # nobody became a new agent
    assert [event.name for event in stage.all["event"]] == ["CONTINUE", "SUCCESS"]


def test_a_server_that_dies_half_way_ends_the_skill_and_the_episode(stages) -> None:
    server = MaedenServer(world=str(WORLD), period=0.5)
    try:
        stage = stages(server)
        handle = stage.ask("walk", x=-2.0, y=4.0)
        stage.until(lambda: stage.place[:2] != (0, 0))
    finally:
        server.close()
    result = stage.ended(handle)
    assert result.status == RESULT.FAILED
    assert result.reason
    stage.until(lambda: stage.last["event"].name == "CLOSED")
    stage.until(lambda: stage.watcher.link != "ready")


def test_two_agents_talk(stages) -> None:
    """A sentence is heard by those only who act in the same cycle, so it is said until it was heard."""
    with MaedenServer(world=str(WORLD), period=0.05, build="T") as server:
        hearer = stages(server, simulator_dialect="text", pacing="listen")
        speaker = stages(server, simulator_dialect="text")
        publisher = speaker.publisher(String, "say")

        def say_by_topic() -> None:
            before = len(speaker.all["percept"])
            publisher.publish(String(data="Hello World"))
            speaker.until(lambda: len(speaker.all["percept"]) > before)

        hear(hearer, "Hello World", say_by_topic)
        said = hearer.last["heard"]
        assert (said.sender, said.has_direction) == ("1", False)
        hear(hearer, "question where K left", lambda: speaker.do("talk", text="question where K left"))
        hear(hearer, "Good bye", lambda: speaker.do("shout", text="Good bye"))
        heard = [percept for percept in hearer.all["percept"] if percept.messages]
        assert heard[0].messages[0].words == ["say", "Hello_World"]
        shout = "shout command say Good_bye 0"
        speaker.until(lambda: any(percept.command == shout for percept in speaker.all["percept"]))


def hear(hearer: GridStage, text: str, say: Any) -> None:
    for _ in range(20):
        say()
        hearer.spin(0.2)
        if any(message.text == text for message in hearer.all["heard"]):
            return
    pytest.fail(f"{text!r} was never heard")
