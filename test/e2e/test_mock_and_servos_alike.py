# SPDX-License-Identifier: Apache-2.0
"""The same BML moves the joint driver on virtual servos and the mock body alike."""

import json

import numpy as np
import pytest
from embodiment_bridge.msg import NodeEvent
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from servo_stage import BODY, ROOT, URDF, ServoStage
from waiting import GRAPH

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.launching.executables import behavior_tree
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.body.mock_body import MockBody
from embodiment_bridge.nodes.tree.bml_client import BmlClient

ALL_ACTIONS = (ROOT / "test/data/bml/11_self_test_all_actions.json").read_text()
RMS_LIMIT_DEG = 2.0
NAMES = [joint.name for joint in read_body(BODY).joints]
ACTIONS = 5
DURATIONS_S = (
    1.0,
    1.0,
    4.0,
    8.0,
    16.0,
)  # of an action; where the machine has no time, the show is given again, slower
WITHIN = 0.15  # of the duration of an action


def shortened(actions: int, duration: float) -> str:
    """The last actions of the document, each so long (s)."""
    document = json.loads(ALL_ACTIONS)
    document["behaviors"] = [{**leaf, "duration": duration} for leaf in document["behaviors"][-actions:]]
    return json.dumps(document)


class Mirror:
    """The mock body with joints and skills of the same robot, beside it."""

    def __init__(self, runtime: Runtime) -> None:
        values = {"body_file": str(BODY), "robot_description_file": str(URDF), "rate": 100.0}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        common = {"context": runtime.context, "namespace": "/mirror"}
        self.body = runtime.add(MockBody(lambda: ROOT, parameter_overrides=overrides, **common))
        self.tree = runtime.add(behavior_tree(**common))
        self.watcher = runtime.add(Watcher(**common))
        self.bml = BmlClient(self.watcher, lambda feedback: None)
        self.tracks: list[JointState] = []
        self.watcher.create_subscription(JointState, "joint_states", self.tracks.append, profile("sensor"))


class Show:
    """Joint tracks of one body while it performs, and when its actions began and ended."""

    def __init__(self, one: ServoStage | Mirror) -> None:
        self.one = one
        self.events: list[NodeEvent] = []
        one.watcher.create_subscription(
            NodeEvent, "behavior_tree/events", self.events.append, profile("events")
        )

    def begin(self, document: str) -> None:
        self.one.bml.send(document, source="test")
        self.one.tracks.clear()
        self.events.clear()

    @property
    def over(self) -> bool:
        result = self.one.bml.result
        return result is not None and (result.outcome != "SUCCEEDED" or len(self.pieces()) == ACTIONS)

    def pieces(self) -> list[tuple[float, float]]:
        """Begin and end of each action, s."""
        told = [event for event in self.events if event.type == "body"]
        begun = {event.pointer: seconds(event) for event in reversed(told) if event.event == "start"}
        ended = {event.pointer: seconds(event) for event in told if event.event == "success"}
        return sorted((begun[pointer], end) for pointer, end in ended.items())

    def curves(self) -> "Curves":
        """Times and angles of each joint."""
        found = []
        for name in NAMES:
            told = [message for message in self.one.tracks if name in message.name]
            angles = [message.position[list(message.name).index(name)] for message in told]
            found.append(([seconds(message) for message in told], angles))
        return found


Curves = list[tuple[list[float], list[float]]]


def sampled(curves: Curves, times: np.ndarray) -> np.ndarray:
    """Angles by joint and time, rad."""
    return np.array([np.interp(times, *curve) for curve in curves])


def seconds(message: JointState | NodeEvent) -> float:
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def squares_between(ours: Show, theirs: Show, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """By joint: mean square of how far the tracks are apart, rad^2, and how far their joints went, rad.

    Two bodies in wall time are never at the same point at the same moment: what counts is how far all joints of one
    together are from where the other was within ``WITHIN`` of the duration (s) of an action.
    """
    squares, tracks = [], []
    own, other = ours.curves(), theirs.curves()
    shifts = np.arange(-WITHIN, WITHIN, 0.01) * duration
    for (begin, end), (their_begin, their_end) in zip(ours.pieces(), theirs.pieces(), strict=True):
        times = np.arange(0.1, min(end - begin, their_end - their_begin) - 0.1, 0.01)
        track = sampled(other, their_begin + times)
        off = np.array(
            [sampled(own, begin + shift + times) - track for shift in shifts]
        )  # shift, joint, time
        nearest = np.abs(off).max(axis=1).argmin(axis=0)
        squares.append(off[nearest, :, np.arange(len(times))] ** 2)
        tracks.append(track)
    return np.concatenate(squares).mean(axis=0), np.ptp(np.concatenate(tracks, axis=1), axis=1)


@pytest.fixture
def stage(tmp_path):
    with Runtime() as runtime:
        made = ServoStage(runtime, tmp_path, "/servos", start_pose="rest")
        yield made
        made.driver.close()
        made.close()


def test_the_same_document_moves_mock_and_servos_alike(stage) -> None:
    mirror = Mirror(stage.runtime)
    ours, theirs = Show(stage), Show(mirror)
    stage.join()
    stage.until(lambda: len(mirror.tracks) > 150 and mirror.bml.server_is_there and bool(mirror.tree.skills))
    for duration in DURATIONS_S:
        document = shortened(ACTIONS, duration)
        ours.begin(document)
        theirs.begin(document)
        stage.until(lambda: ours.over and theirs.over, 2 * GRAPH)
        assert (stage.bml.result.outcome, mirror.bml.result.outcome) == ("SUCCEEDED", "SUCCEEDED")
        squares, ways = squares_between(ours, theirs, duration)
        worst_deg = np.degrees(np.sqrt(squares.max()))
        assert sum(ways > 0.3) >= 6  # it was a real show
        if worst_deg < RMS_LIMIT_DEG:
            break
    assert worst_deg < RMS_LIMIT_DEG, squares
    mirror.bml.destroy()
