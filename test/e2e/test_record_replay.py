# SPDX-License-Identifier: Apache-2.0
"""A performance is recorded whole, and played back so that a brain can run against it."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.msg import EntityArray
from embodiment_bridge.srv import PlayLog
from graph_stage import Stage
from mock_node_stage import FAST, Mock
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from waiting import spin_until

from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.launching.executables import behavior_tree, player, recorder
from embodiment_bridge.nodes.bags.bag_recorder import BagRecorder
from embodiment_bridge.nodes.base.runtime import Runtime

PLAN = json.dumps({"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKE"}] * 2})
STEP = 0.02  # s of the mock's world


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> Path:
    """A robot /star of the mock body shakes its head twice."""
    path = tmp_path_factory.mktemp("bags") / "dance"
    with Runtime() as runtime:
        mock = Mock(runtime, "/star", **FAST)
        mock.join()
        overrides = [Parameter("output", value=str(path)), Parameter("exclude", value="/star/imu")]
        overrides.append(Parameter("use_sim_time", value=True))
        tape = runtime.add(recorder(parameter_overrides=overrides, context=runtime.context))
        assert isinstance(tape, BagRecorder)
        wanted = {f"/star/{name}" for name in ("joint_states", "entities", "behavior_tree/events", "skills")}
        mock.until(lambda: wanted | {"/tf", "/clock"} <= set(tape.topics))
        assert mock.run(PLAN).outcome == "SUCCEEDED"
        mock.until(lambda: tape.totals.written > 500)
        assert tape.totals.lost == 0
        mock.close()
    return path


def messages(path: Path, topic: str, kind: Any) -> list[Any]:
    with BagReader(path) as reader:
        return [deserialize_message(one.data, kind) for one in reader.messages({topic})]


def test_no_percept_is_missing(recording) -> None:
    stamps = [
        one.header.stamp.sec + one.header.stamp.nanosec * 1e-9
        for one in messages(recording, "/star/joint_states", JointState)
    ]
    assert len(stamps) > 100
    gaps = {round((after - before) / STEP) for before, after in itertools.pairwise(stamps)}
    assert gaps == {1}


def test_what_was_left_out_is_not_there(recording) -> None:
    with BagReader(recording) as reader:
        assert "/star/imu" not in reader.topics
        assert not any("/_action/" in name for name in reader.topics)
        events = [name for name in reader.topics if name.endswith("behavior_tree/events")]
        assert reader.topics[events[0]].messages >= 4


class Replay(Stage):
    """A player in another namespace, and what is heard of it."""

    def __init__(self, runtime: Runtime, bag: Path, namespace: str, **values: Any) -> None:
        super().__init__(runtime, namespace)
        self.node = self.add(player, bag=str(bag), **values)
        self.joints = self.collect(JointState, "joint_states", "events")
        self.clock = self.collect(Clock, "/clock", "events")
        self.entities = self.collect(EntityArray, "entities", "events")

    def play(self, **request: Any) -> PlayLog.Response:
        return self.call(PlayLog, "player/play", **request)


@pytest.fixture
def replays():
    with Runtime() as runtime:
        names = itertools.count()
        yield lambda bag, **values: Replay(runtime, bag, f"/again{next(names)}", **values)


def test_plays_what_was_recorded(recording, replays) -> None:
    replay = replays(recording, paused=True)
    replay.until(lambda: replay.node.count_subscribers(f"{replay.watcher.get_namespace()}/joint_states") > 1)
    assert replay.call(Trigger, "player/resume").success
    recorded = messages(recording, "/star/joint_states", JointState)
    replay.until(lambda: len(replay.joints) == len(recorded) and bool(replay.entities))
    assert [one.position for one in replay.joints] == [one.position for one in recorded]
    clock = [(one.clock.sec, one.clock.nanosec) for one in replay.clock]
    assert clock == sorted(clock)
    assert replay.entities[0].header.frame_id == "map"


def test_pause_speed_and_seek(recording, replays) -> None:
    replay = replays(recording, paused=True, speed=2.0)
    replay.until(lambda: replay.node.active)
    here = replay.play(seek=True, time=0.3)
    assert (here.success, here.paused, here.speed, here.time) == (True, True, 2.0, 0.3)
    fast = replay.play(action=PlayLog.Request.RESUME, set_speed=True, speed=50.0)
    assert (fast.paused, fast.speed) == (False, 50.0)
    replay.until(lambda: replay.node.playback.ended)
    end = replay.play()
    assert end.time == pytest.approx(end.duration)
    refused = replay.play(set_speed=True, speed=-3.0)
    assert not refused.success
    assert "speed" in refused.message


def test_brain_runs_against_a_recording(recording, replays) -> None:
    replay = replays(recording, body=True, loop=True, publish_clock=False)
    tree = replay.add(behavior_tree)
    replay.until(lambda: replay.bml.server_is_there and bool(replay.joints) and bool(tree.skills))
    assert replay.run(json.dumps({"type": "body", "action": "HEAD_SHAKE"})).outcome == "SUCCEEDED"
    replay.until(lambda: any("this body lacks" in w for f in replay.feedback for w in f.warnings))
    replay.close()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"bag": ""}, "which recording"),
        ({"bag": "/nowhere/at/all"}, "/nowhere/at/all"),
        ({"include": "("}, "include"),
        ({"include": "/nothing_of_this"}, "no topic to play"),
    ],
)
def test_player_refuses(recording, replays, values, text, capfd) -> None:
    replay = replays(**{"bag": recording, **values})
    replay.until(lambda: replay.node.refused)
    assert text in capfd.readouterr().err


def test_recorder_refuses_a_bad_pattern_and_a_directory_that_is_there(tmp_path, capfd) -> None:
    with Runtime() as runtime:
        for values in ({"include": "["}, {"output": str(tmp_path)}):
            overrides = [Parameter(name, value=value) for name, value in values.items()]
            node = runtime.add(
                BagRecorder(find_share, parameter_overrides=overrides, context=runtime.context)
            )
            spin_until(runtime, lambda node=node: node.refused)
    heard = capfd.readouterr().err
    assert "include" in heard
    assert "exists" in heard
