# SPDX-License-Identifier: Apache-2.0
"""What a run gets from the graph and leaves behind: values of topics, seeds, subtrees, estimates, logs, recordings."""

import json
import math
from bisect import bisect_right
from pathlib import Path

import pytest
from embodiment_bridge.action import ExecuteBml
from run_stage import RunStage
from std_msgs.msg import Float64
from waiting import GRAPH, until

from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.motion_file import skill_text, track_of
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.base.messages import message_class
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.joint_recorder import JointRecorder
from embodiment_bridge.nodes.tree.values.blackboard_feed import check_path, read_value
from embodiment_bridge.nodes.tree.values.blackboard_sources import parse_source

ROOT = Path(__file__).parents[2]


@pytest.fixture
def stages():
    """Makes stages: ``stages(**parameters of the tree)``."""
    made: list[RunStage] = []
    with Runtime() as runtime:

        def make(**of_tree) -> RunStage:
            made.append(RunStage(runtime, f"/topics{len(made)}", **of_tree))
            made[-1].join()
            return made[-1]

        yield make
        for stage in made:
            stage.close()


def choice(key: str, op: str, value: object) -> str:
    """A document that takes 0.2 s when the condition is met, else 0.5 s."""
    yes = {"type": "delay", "duration": 0.2, "condition": {"key": key, "op": op, "value": value}}
    return json.dumps({"type": "selector", "behaviors": [yes, {"type": "delay", "duration": 0.5}]})


def takes(stage, seconds, *condition):
    """Run a document with a condition until it takes so long."""
    until(lambda: stage.run(choice(*condition)).elapsed == pytest.approx(seconds), stage.why, GRAPH)


def test_conditions_look_at_topics(stages) -> None:
    feeds = ["battery.percent=battery:percentage", "level=level:data", "joint=joint_states:position[1]"]
    stage = stages(blackboard=[*feeds, "status=body_status:posture", "odd=level:dota"])
    publisher = stage.publisher(Float64, "level")
    for condition in (("battery.percent", ">", 0.5), ("joint", "exists", True), ("status", "exists", True)):
        takes(stage, 0.2, *condition)
    takes(stage, 0.5, "level", ">", 3)
    publisher.publish(Float64(data=4.0))
    takes(stage, 0.2, "level", ">", 3)
    publisher.publish(Float64(data=math.nan))
    takes(stage, 0.5, "level", ">", 3)
    assert "no field 'dota'" in stage.tree.diagnose()[2]["no value of odd"]
    stage.watcher.destroy_publisher(publisher)


@pytest.mark.parametrize(
    "text", ["", "a", "a=b", "a=:c", "1a=b:c", "a=b:c..d", "a=b:c[x]", "a=b:", "=b:c", "a b=b:c"]
)
def test_a_feed_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="NAME=TOPIC:FIELD"):
        parse_source(text)


def test_fields_of_messages() -> None:
    source = parse_source("x=/robot/pose:pose.position.x")
    assert (source.name, source.topic, source.path) == ("x", "/robot/pose", ("pose", "position", "x"))
    assert parse_source("a=b:c[2].d[0]").path == ("c", 2, "d", 0)
    kind = message_class("sensor_msgs/msg/JointState")
    check_path(kind, ("header", "frame_id"))
    with pytest.raises(ConfigError, match="no field 'frame' in Header"):
        check_path(kind, ("header", "frame"))
    with pytest.raises(ConfigError, match="is not installed here"):
        message_class("nowhere_msgs/msg/Nothing")
    message = kind(name=["a"], position=[1.5])
    assert read_value(message, ("position", 0)) == (1.5, "")
    assert read_value(message, ("name", 0)) == ("a", "")
    assert read_value(message, ("position", 1))[0] is None
    assert read_value(message, ("position",))[0] is None
    assert read_value(message, ("header",))[0] is None


def test_values_seed_and_subtrees_come_with_the_goal(stages) -> None:
    stage = stages()
    text = '{"type": "subtree", "ref": "inner"}'
    inner = choice("mood", "==", "good")
    stage.begin(text, values={"mood": '"good"'}, subtrees={"inner": inner}, seed=7)
    assert (stage.finish().elapsed, stage.bml.result.seed) == (pytest.approx(0.2), 7)
    stage.begin(text, subtrees={"inner": inner})
    assert stage.finish().elapsed == pytest.approx(0.5)
    assert 0 <= stage.bml.result.seed < 2**32
    for wishes, code in (
        ({"values": {"mood": "good"}}, "BAD_VALUE"),
        ({"values": {"1": "1"}}, "BAD_VALUE"),
        ({"values": {"mood": "NaN"}}, "BAD_VALUE"),
        ({"seed": 2**32}, "BAD_SEED"),
        ({"values": {f"k{i}": "1" for i in range(1001)}}, "BAD_VALUE"),
        ({"breakpoints": ["x"] * 51}, "TOO_MANY_BREAKPOINTS"),
        ({"subtrees": {}}, "UNKNOWN_SUBTREE"),
    ):
        stage.begin(text, **{"subtrees": {"inner": inner}, **wishes})
        assert stage.finish().outcome == "REJECTED"
        assert code in stage.bml.result.problems[0]
        assert stage.bml.result.seed == -1


def test_a_full_blackboard_takes_no_more_values_and_the_run_goes_on(stages) -> None:
    stage = stages(blackboard=["level=level:data"])
    publisher = stage.publisher(Float64, "level")
    stage.begin('{"type": "delay", "duration": 5}', values={f"k{i}": "1" for i in range(1000)})
    stage.wait_for("RUNNING")
    publisher.publish(Float64(data=4.0))
    stage.until(lambda: stage.tree._run_executor.feed.values()["level"] == 4.0)
    assert (stage.finish().outcome, list(stage.bml.result.problems)) == ("SUCCEEDED", [])
    refused = "VALUE_REFUSED: no room for 'level'"
    stage.until(lambda: any(refused in w for f in stage.feedback for w in f.warnings))
    assert stage.run(choice("level", ">", 3)).elapsed == pytest.approx(0.2)
    stage.watcher.destroy_publisher(publisher)


def test_feedback_tells_how_long_it_takes_and_what_is_doubtful(stages) -> None:
    stage = stages()
    seen: list[ExecuteBml.Feedback] = stage.feedback
    stage.run('{"type": "body", "action": "HEAD_SHAKE", "duration": 1.25}')
    assert (seen[-1].least, seen[-1].expected, seen[-1].longest) == pytest.approx((1.25, 1.25, 1.25))
    stage.begin(
        '{"type": "sequence", "behaviors": [{"type": "loop", "loop": -1, "behavior": '
        '{"type": "delay", "duration": 0.1}}, {"type": "body", "action": "RESET"}]}'
    )
    stage.wait_for("RUNNING")
    assert seen[-1].longest == math.inf
    assert seen[-1].expected == math.inf
    warnings = [warning for feedback in seen for warning in feedback.warnings]
    assert {warning.split(": ")[1] for warning in warnings} >= {"UNREACHABLE", "FOREVER_WITHOUT_EXIT"}
    stage.control("stop")
    assert stage.finish().outcome == "CANCELED"


def test_a_channel_that_is_missing_fails_where_that_is_wanted(stages) -> None:
    stage = stages(missing_channel="fail")
    lacking = stage.tree.skills["head_shake"]
    stage.tree._run_executor.ports.body.skills = {
        **stage.tree.skills,
        "tail_wag": type(lacking)("tail_wag", "motion", ("tail",), 1.0, 0.1, (), False),
    }
    result = stage.run('{"type": "body", "action": "TAIL_WAG"}')
    assert (result.outcome, result.reason) == ("FAILED", "this body lacks tail for tail_wag")


def test_a_run_leaves_a_log_that_can_be_done_again(stages, tmp_path, capsys) -> None:
    stage = stages(log_dir=str(tmp_path / "logs"), log_keep=3)
    document = (ROOT / "config/bml/first_steps.json").read_text()
    stage.begin(document)
    stage.wait_for("RUNNING")
    stage.steps(30)
    stage.pause()
    assert stage.control("resume").success
    assert stage.finish().outcome == "SUCCEEDED"
    for _ in range(2):
        stage.run('{"type": "delay", "duration": 0.1}')
    files = sorted((tmp_path / "logs").iterdir(), key=lambda path: path.stat().st_size)
    assert len(files) == 3
    lines = files[-1].read_text().splitlines()
    assert main(["bml", "replay", str(files[-1])]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(logged(lines))
    changed = tmp_path / "changed.jsonl"
    changed.write_text(
        "\n".join(line.replace('"seed": ', '"seed": 1') for line in lines if '"transition"' not in line)
    )
    assert main(["bml", "replay", str(changed)]) == 1
    assert "logged nothing" in capsys.readouterr().err
    assert main(["bml", "replay", str(ROOT / "config/bml/dance.json")]) == 2
    stage.run(choice("mood", "==", "good"))
    assert len(list((tmp_path / "logs").iterdir())) == 3
    assert not files[-1].exists()


def test_the_log_of_a_long_run_replays_to_the_same_transitions(stages, tmp_path) -> None:
    stage = stages(log_dir=str(tmp_path), blackboard=["percent=battery:percentage"])
    stage.begin((ROOT / "config/bml/dance.json").read_text())
    stage.wait_for("RUNNING")
    stage.steps(60)
    stage.pause()
    assert stage.control("step").success
    stage.wait_for("PAUSED")
    assert stage.control("resume").success
    assert stage.finish().outcome == "SUCCEEDED"
    lines = next(tmp_path.iterdir()).read_text().splitlines()
    assert len(logged(lines)) > 60
    assert replay(lines) == logged(lines)


def test_the_log_of_a_node_that_ends_meanwhile_is_whole_as_far_as_it_goes(tmp_path) -> None:
    with Runtime() as runtime:
        stage = RunStage(runtime, "/ends", log_dir=str(tmp_path))
        stage.join()
        stage.begin((ROOT / "config/bml/dance.json").read_text())
        stage.wait_for("RUNNING")
        stage.steps(40)
        stage.close()
    lines = next(tmp_path.iterdir()).read_text().splitlines()
    assert replay(lines) == logged(lines)
    assert len(logged(lines)) > 5


def test_a_log_folder_that_cannot_be_made_is_told(stages, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with Runtime() as runtime:
        stage = RunStage(runtime, "/nolog", log_dir=str(tmp_path / "file" / "logs"))
        stage.until(lambda: stage.watcher.percepts > 5)
        assert not stage.tree.active
        stage.close()


def test_a_recorded_motion_does_again_what_was_done(stages, tmp_path) -> None:
    stage = stages()
    body = read_body(ROOT / "config/bodies/mock.yaml")
    recorder = JointRecorder(stage.watcher)
    stage.until(lambda: recorder.seen > 0)
    recorder.recording = True
    document = (
        '{"type": "parallel", "behaviors": [{"type": "body", "action": "HAND_PITCH", "duration": 2},'
        '{"type": "body", "action": "HEAD_SHAKE", "duration": 2}]}'
    )
    assert stage.run(document).outcome == "SUCCEEDED"
    recorder.recording = False
    track = track_of(body, recorder.names, recorder.times, recorder.rows, 0.01)
    assert set(track.joints) == {"head_yaw", "l_shoulder_pitch", "r_shoulder_pitch"}
    text = skill_text("again", body, track)
    names, times, rows = recorder.names, recorder.times, recorder.rows
    recorder.destroy()
    (tmp_path / "again.yaml").write_text(text)
    own = (ROOT / "config/bodies/mock.yaml").read_text() + "motions: [again.yaml]\n"
    (tmp_path / "mock.yaml").write_text(own)
    with Runtime() as runtime:
        second = RunStage(runtime, "/again", body={"body_file": str(tmp_path / "mock.yaml")})
        second.join()
        recorder = JointRecorder(second.watcher)
        second.until(lambda: recorder.seen > 0)
        recorder.recording = True
        assert second.run('{"type": "body", "action": "AGAIN"}').outcome == "SUCCEEDED"
        recorder.recording = False
        second.close()
    for name in track.joints:
        first = curve(times, rows, names.index(name))
        then = curve(recorder.times, recorder.rows, recorder.names.index(name))
        worst = min(difference(first, then, lag) for lag in range(-20, 21))
        assert worst < 0.03


def curve(times: list[float], rows: list[list[float]], column: int) -> list[float]:
    """Angles at each 5 ms, from the first movement on; messages may have been lost."""
    angles = [row[column] for row in rows]
    start = next(times[i] for i, angle in enumerate(angles) if abs(angle - angles[0]) > 0.02)
    return [between(times, angles, start + 0.005 * i) for i in range(360)]


def between(times: list[float], angles: list[float], moment: float) -> float:
    """The angle at a moment, straight from sample to sample."""
    i = min(max(bisect_right(times, moment), 1), len(times) - 1)
    share = min(max((moment - times[i - 1]) / (times[i] - times[i - 1]), 0.0), 1.0)
    return angles[i - 1] + share * (angles[i] - angles[i - 1])


def difference(first: list[float], then: list[float], lag: int) -> float:
    """The largest one, when the second is ``lag`` samples behind."""
    pairs = zip(first[20:-20], then[20 + lag : len(then) - 20 + lag], strict=True)
    return max(abs(a - b) for a, b in pairs)
