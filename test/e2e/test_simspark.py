# SPDX-License-Identifier: Apache-2.0
"""A Nao on the stand-in for rcssserver3d, from sockets to topics, skills and BML."""

import math
import os
import socket
from pathlib import Path

import pytest
from builtin_interfaces.msg import Duration
from embodiment_bridge.msg import EntityArray, HeardMessage, LinkState, Vision
from embodiment_bridge.srv import Beam
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.standins.simspark.server import SimsparkServer

ROOT = Path(__file__).parents[2]
SELF_TEST = ROOT / "test/data/bml/11_self_test_all_actions.json"
BODY = {
    "protocol": "simspark",
    "body_file": str(ROOT / "config/bodies/nao.yaml"),
    "robot_description_file": str(ROOT / "urdf/nao.urdf"),
}
LIVE = {**BODY, "publish_clock": False, "use_sim_time": False}


@pytest.fixture
def fast():
    """As fast as the robot answers."""
    with SimsparkServer(sync=True, realtime=False, noise=False) as server:
        yield server


@pytest.fixture
def live():
    """In real time, with noise."""
    with SimsparkServer() as server:
        yield server


def test_all_actions_of_the_seed_are_done(fast, robots):
    robot = robots(fast, **BODY)
    robot.join()
    result = robot.run(SELF_TEST.read_text())
    assert (result.outcome, result.reason) == ("SUCCEEDED", "")
    robot.until(lambda: robot.watcher.posture == "standing")
    skipped = [w for f in robot.feedback for w in f.warnings if "SKIPPED" in w]
    assert all("lacks the channel" in line for line in skipped)


def test_walk_moves_the_robot_and_pose_follows(fast, robots):
    robot = robots(fast, **BODY)
    robot.join()
    robot.until(lambda: robot.watcher.placed)
    robot.watcher.mark()
    result = robot.skill("step_forward", distance=0.5)
    assert (result.status, result.reason) == (result.SUCCEEDED, "")
    robot.until(lambda: robot.watcher.distance == pytest.approx(0.5, abs=0.1))
    with fast.lock:
        (player,) = fast.world.players
        assert (robot.watcher.x, robot.watcher.y) == pytest.approx(player.place[:2], abs=0.05)


def test_what_a_nao_senses_is_on_its_topics(live, robots):
    robot = robots(live, **LIVE)
    seen, things, soles = (
        robot.collect(kind, topic, "sensor")
        for kind, topic in ((Vision, "vision"), (EntityArray, "entities"), (WrenchStamped, "force/lf"))
    )
    robot.join()
    robot.until(lambda: seen and things and soles and seen[-1].lines)
    assert {entity.kind for entity in things[-1].entities} >= {"ball", "landmark"}
    assert soles[-1].header.frame_id == "l_sole"
    assert soles[-1].wrench.force.z > 1.0


def test_trajectory_is_followed_and_beam_and_pass_are_sent(live, robots):
    robot = robots(live, **LIVE)
    states = robot.collect(JointState, "joint_states", "sensor")
    robot.join()
    point = JointTrajectoryPoint(positions=[0.5, 0.2], time_from_start=Duration(sec=1))
    robot.publish(
        JointTrajectory, "joint_trajectory", JointTrajectory(joint_names=["hj1", "hj2"], points=[point])
    )
    robot.until(lambda: states and list(states[-1].position[:2]) == pytest.approx([0.5, 0.2], abs=0.01))
    assert robot.call(Trigger, "pass").success
    assert robot.call(Beam, "beam", x=-4.0, y=1.0, theta=0.0).success
    robot.until(lambda: math.hypot(robot.watcher.x + 4.0, robot.watcher.y - 1.0) < 0.3)


def test_players_hear_each_other(live, robots):
    speaker, listener = robots(live, number=1, **LIVE), robots(live, number=2, **LIVE)
    heard = listener.collect(HeardMessage, "heard", "sensor")
    speaker.join()
    listener.join()
    publisher = speaker.publisher(String, "say")
    publisher.publish(String(data="this one is much too long"))
    publisher.publish(String(data="hello"))
    listener.until(lambda: bool(heard))
    assert [(message.text, message.sender, message.has_direction) for message in heard] == [
        ("hello", "bridge", True)
    ]


def test_number_that_is_taken_is_told_in_the_link_state(live, robots):
    first = robots(live, **LIVE)
    first.join()
    second = robots(live, **LIVE)
    second.until(lambda: "number is taken" in second.watcher.reason)
    assert first.watcher.link == "ready"


def test_robot_that_was_killed_joins_again(live, robots):
    robot = robots(live, **LIVE)
    every = profile("latched")
    every.depth = 100  # a busy listener does not miss the reason between two states
    links = []
    robot.watcher.create_subscription(LinkState, "link_state", links.append, every)
    robot.join()
    robot.until(lambda: bool(links))
    with live.lock:
        live.world.kill(live.world.players[0])
    robot.until(lambda: any("taken out of the game" in link.reason for link in links))
    robot.until(lambda: links[-1].state == LinkState.READY)
    with live.lock:
        assert [player.number for player in live.world.players] == [2]


def test_server_that_ends_fails_the_skill_and_is_joined_again(robots):
    with SimsparkServer() as first:
        robot = robots(first, **LIVE)
        robot.join()
        robot.begin('{"type": "body", "action": "STEP_FORWARD", "repeat": 20}')
        robot.until(lambda: robot.watcher.posture == "walking")
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome != "SUCCEEDED"
    robot.until(lambda: robot.watcher.link == "waiting to try again")
    with SimsparkServer(port=first.port):
        robot.until(lambda: robot.watcher.link == "ready")
        result = robot.skill("head_shake")
        assert (result.status, result.reason) == (result.SUCCEEDED, "")


def test_slow_server_with_nan_lost_and_unknown_messages_is_lived_with(robots):
    with SimsparkServer(slow=0.01, nan=0.2, unknown=0.2, lost=0.2) as server:
        robot = robots(server, **LIVE)
        robot.join()
        result = robot.skill("head_shake")
        assert (result.status, result.reason) == (result.SUCCEEDED, "")


def test_bringup_starts_the_stand_in_and_runs_a_document(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        port, monitor_port = one.getsockname()[1], other.getsockname()[1]
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)  # for the stand-in: these sources
    arguments = {
        "body": "simspark",
        "start_peer": "true",
        "port": str(port),
        "monitor_port": str(monitor_port),
    }
    plan = read_launch(
        ROOT / "launch/bringup.launch.xml", arguments, find_share=lambda _: ROOT, environment=os.environ
    )
    told = []
    with Graph(plan, told.append) as graph:
        watcher = graph.runtime.add(Watcher(context=graph.runtime.context))
        client = BmlClient(watcher, lambda feedback: None)
        graph.spin(lambda: watcher.link == "ready" and watcher.placed and client.server_is_there)
        client.send('{"type": "body", "action": "HEAD_SHAKE"}', source="test")
        graph.spin(lambda: client.result is not None)
        client.destroy()
    assert (client.result.outcome, client.result.reason) == ("SUCCEEDED", "")
    assert told == []
