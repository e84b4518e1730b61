# SPDX-License-Identifier: Apache-2.0
"""`bml validate`, `show` and `dry-run` for a body and the parameters of a robot, and with rehearsed failures."""

import json
from pathlib import Path

import pytest
from embodiment_bridge.msg import SkillInfo, SkillList
from rclpy.serialization import serialize_message

from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.robots import robot
from embodiment_bridge.cli.robots.robot import read_parameters
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.nodes.tree.runs.document_rules import PARAMETERS

ROOT = Path(__file__).parents[3]
SONG = "https://a.example/song.mp3"
WALK = {"type": "body", "action": "STEP_FORWARD", "duration": 1}
SHOW = {
    "type": "sequence",
    "behaviors": [
        {
            "type": "selector",
            "behaviors": [{"type": "delay", "duration": 2, "name": "first"}, {**WALK, "name": "second"}],
        },
        {"type": "delay", "duration": 1},
    ],
    "finally": {"type": "body", "action": "RESET", "duration": 1},
}

OF_A_RECORDING = ("replay",)


@pytest.fixture
def write(tmp_path):
    def writing(content, name="document.json") -> str:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return writing


def params(write, **values) -> str:
    return write({"/**": {"ros__parameters": values}}, "params.yaml")


def run(capsys, *words: str) -> tuple[int, str]:
    code = main(["bml", *words])
    told = capsys.readouterr()
    return code, told.out + told.err


def lines(capsys, *words: str) -> list[dict]:
    return [json.loads(line) for line in run(capsys, "dry-run", *words)[1].splitlines()]


def test_a_value_of_the_launch_argument_is_the_body_that_is_launched() -> None:
    launched = robot.launched_bodies()
    assert {"mock", "rcsssmj", "simspark", "maeden", "dynamixel", "virtual_servos", "dummy"} < set(launched)
    names = {name: robot.body_path(name).name for name in launched if name not in OF_A_RECORDING}
    assert (names["rcsssmj"], names["simspark"], names["virtual_servos"], names["mujoco"]) == (
        "t1.yaml",
        "nao.yaml",
        "desk_humanoid.yaml",
        "desk_humanoid.yaml",
    )
    assert all(robot.body_skills(name) for name in names)


def test_a_body_file_and_bodies_that_there_are_not(write, capsys) -> None:
    document = write(WALK)
    text = (ROOT / "config/bodies/dummy.yaml").read_text()
    code, told = run(capsys, "validate", document, "--body", write(text, "mine.yaml"))
    assert (code, "UNKNOWN_ACTION" in told) == (1, True)
    for body, expected in (
        ("mok", "did you mean 'mock'"),
        ("replay", "--body DIRECTORY names its recording, or --robot"),
        ("./nowhere.yaml", "nowhere.yaml"),
    ):
        code, told = run(capsys, "validate", document, "--body", body)
        assert code == 2
        assert expected in told


def recording(path: Path, **skills: float) -> str:
    """A recording of a body with such skills (name, s); without any it has no list of them."""
    writer = BagWriter(path)
    if skills:
        kind = "embodiment_bridge/msg/SkillList"
        number = writer.add_topic("/skills", kind, definition(kind, find_share), [])
        infos = [SkillInfo(name=name, nominal=nominal, available=True) for name, nominal in skills.items()]
        writer.take(number, 10**18, serialize_message(SkillList(body="old", skills=infos)))
    writer.close()
    return str(path)


def test_a_recording_is_a_body_with_the_skills_that_it_had(write, capsys, tmp_path) -> None:
    old = recording(tmp_path / "bag", bow=2.0)
    assert lines(capsys, write({"type": "body", "action": "BOW"}), "--body", old)[-1]["t"] == 2.0
    code, told = run(capsys, "validate", write(WALK), "--body", old)
    assert (code, "UNKNOWN_ACTION" in told) == (1, True)
    code, told = run(capsys, "validate", write(WALK), "--body", recording(tmp_path / "empty"))
    assert code == 2
    assert "has no topic `skills`" in told


def test_parameters_say_what_may_be_fetched_spoken_and_driven(write, capsys) -> None:
    document = write(
        {
            "type": "sequence",
            "behaviors": [
                {"type": "request", "url": "https://a.example/x"},
                {"type": "speak", "content": "hello"},
                WALK,
            ],
        }
    )
    assert run(capsys, "validate", document)[0] == 0
    closed = params(write, speech="none", source_channels=["cloud=-legs"])
    for action in ("validate", "show"):
        code, told = run(capsys, action, document, "--params", closed, "--source", "cloud")
        assert code == 1
        assert "/behaviors/0/url: URL_REFUSED" in told
        assert "fetch_hosts" in told
        assert "/behaviors/1: UNRESOLVED_SPEAK" in told
        assert "/behaviors/2/action: CHANNEL_NOT_ALLOWED" in told
        assert "UNRESOLVED_SPEAK" not in run(capsys, action, document, "--params", closed, "--speech")[1]
    rejected = lines(capsys, document, "--params", closed, "--source", "cloud")
    codes = [line["code"] for line in rejected if line.get("event") == "problem"]
    assert codes == ["URL_REFUSED", "UNRESOLVED_SPEAK", "CHANNEL_NOT_ALLOWED"]
    opened = params(write, fetch_hosts=["a.example"])
    assert run(capsys, "validate", document, "--params", opened)[0] == 0


def test_guards_missing_channels_and_limits_are_those_of_the_robot(write, capsys) -> None:
    document = write({"type": "body", "action": "HAND_GRIP"})
    file = params(
        write,
        missing_channel="fail",
        blackboard=["battery=battery:percentage"],
        guards=["battery >= 0.15"],
    )
    assert (
        "it is not known (--set NAME=VALUE gives it)"
        in lines(capsys, document, "--params", file)[-1]["reason"]
    )
    low = lines(capsys, document, "--params", file, "--set", "battery=0.1")
    assert (low[-1]["outcome"], low[-1]["reason"][:6]) == ("REJECTED", "VETOED")
    full = ["--params", file, "--set", "battery=0.9", "--body", "t1"]
    assert "lacks hand_l" in lines(capsys, document, *full)[-1]["reason"]
    assert lines(capsys, document, *full, "--missing-channel", "skip")[-1]["outcome"] == "SUCCEEDED"
    old = write({"action": WALK, "req_time": 1.0}, "old.json")
    stale = params(write, max_age=60.0)
    assert lines(capsys, old, "--params", stale)[-1]["outcome"] == "REJECTED"
    code, told = run(capsys, "validate", old, "--params", stale)
    assert (code, "STALE" in told) == (1, True)


def test_control_actions_are_a_parameter(write, capsys) -> None:
    document = write({"type": "body", "action": "RESUME"})
    code, told = run(capsys, "validate", document)
    assert (code, "RESET" in told, "control_actions" in told) == (1, False, True)
    assert run(capsys, "validate", document, "--params", params(write, control_actions=True))[0] == 0


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"speech": "loud"}, "unknown speech 'loud'"),
        ({"max_age": -1.0}, "max_age is -1.0, not within 0 to"),
        ({"max_age": 1}, "max_age is a number with a point, not 1"),
        ({"guards": "battery > 1"}, "guards is a list of texts"),
        ({"fetch_plain_http": "yes"}, "fetch_plain_http is true or false"),
        ({"guards": ["battery > 1"]}, "unknown value of the parameter blackboard"),
    ],
)
def test_bad_parameters_are_named(write, capsys, values: dict, expected: str) -> None:
    code, told = run(capsys, "validate", write(WALK), "--params", params(write, **values))
    assert code == 2
    assert expected in told


@pytest.mark.parametrize("content", ["[1]", "a: 1", "a: {b: 1}", "{"])
def test_files_of_another_form_are_refused(write, content: str) -> None:
    with pytest.raises(ConfigError, match="parameter file"):
        read_parameters(write(content, "p.yaml"), PARAMETERS, "behavior_tree")


def test_a_parameter_file_is_read_as_the_node_reads_it(write) -> None:
    sections = {
        "/**": {"max_age": 1.0, "volume_cap": 50.0},
        "/agent_bridge": {"max_age": 2.0},
        "/robot1/behavior_tree": {"max_age": 3.0},
    }
    content = {node: {"ros__parameters": values} for node, values in sections.items()}
    values = read_parameters(write(content, "p.yaml"), PARAMETERS, "behavior_tree")
    assert (values["max_age"], values["volume_cap"], values["dead_man"]) == (3.0, 50.0, 0.5)


def test_lengths_of_media_come_from_words_and_files(write, capsys) -> None:
    document = write({"type": "player", "action": "play", "url": SONG})
    table = write({SONG: 20}, "lengths.json")
    for words in (["--media", f"{SONG}=20"], ["--media", table]):
        assert "time: [20, 20, 20] s" in run(capsys, "validate", document, "--times", *words)[1]
        assert "20" in run(capsys, "show", document, *words)[1]
        assert lines(capsys, document, *words)[-1] == {"outcome": "SUCCEEDED", "t": 20.0}
    for bad in (
        "nowhere.json",
        f"{SONG}=x",
        f"{SONG}=-1",
        write([1], "list.json"),
        write({SONG: "x"}, "x.json"),
    ):
        assert run(capsys, "validate", document, "--media", bad)[0] == 2


def test_a_node_that_is_to_fail_lets_the_next_branch_begin(write, capsys) -> None:
    document = write(SHOW)
    usual = lines(capsys, document)
    assert usual[-1] == {"outcome": "SUCCEEDED", "t": 4.0}
    for node in ("first", "/behaviors/0/behaviors/0"):
        seen = lines(capsys, document, "--fail", f"{node}=asleep")
        failure = next(line for line in seen if line.get("event") == "failure")
        assert (failure["t"], failure["node"], failure["message"]) == (
            0.0,
            "/behaviors/0/behaviors/0",
            "asleep",
        )
        assert seen[-1] == {"outcome": "SUCCEEDED", "t": 3.0}
    both = lines(capsys, document, "--fail", "first", "--fail", "second")
    assert (both[-1]["outcome"], both[-1]["t"], both[-1]["node"]) == (
        "FAILED",
        1.0,
        "/behaviors/0/behaviors/1",
    )
    nobody = lines(capsys, document, "--fail", "third")
    assert [line["code"] for line in nobody if line.get("event") == "warning"] == ["NOT_REACHED"]


def test_a_loop_tries_a_failing_node_again(write, capsys) -> None:
    retry = {"type": "loop", "loop": 3, "successPolicy": "SucceedOnOne", "failurePolicy": "FailOnAll"}
    document = write({**retry, "behavior": {"type": "delay", "duration": 1, "name": "it", "timeout": 5}})
    seen = lines(capsys, document, "--fail", "it")
    failures = [line for line in seen if line.get("event") == "failure" and line["type"] == "delay"]
    assert len(failures) == 3
    assert seen[-1]["outcome"] == "FAILED"


def test_a_pause_changes_no_time_of_the_run(write, capsys) -> None:
    document = write(SHOW)
    seen = lines(capsys, document, "--pause", "2.5", "--pause", "0.5")
    paused = [(line["t"], line["event"]) for line in seen if line.get("event") in ("paused", "resumed")]
    assert paused == [(0.5, "paused"), (0.5, "resumed"), (2.5, "paused"), (2.5, "resumed")]
    assert [line for line in seen if line.get("event") not in ("paused", "resumed")] == lines(
        capsys, document
    )


def test_a_cancel_runs_the_clean_up(write, capsys) -> None:
    document = write(SHOW)
    seen = lines(capsys, document, "--cancel", "0.5")
    assert (seen[-1]["outcome"], seen[-1]["t"]) == ("CANCELED", 1.5)
    assert any(line.get("message") == "RESET" for line in seen)
    late = lines(capsys, document, "--cancel", "50", "--pause", "9")
    assert sum(line.get("code") == "NOT_REACHED" for line in late) == 2
    assert late[-1]["outcome"] == "SUCCEEDED"


def test_a_request_whose_reply_is_not_given(write, capsys) -> None:
    document = write({"type": "request", "url": "https://a.example/x"})
    seen = lines(capsys, document)
    assert seen[-1]["outcome"] == "SUCCEEDED"
    assert any(line.get("code") == "NO_REPLY" for line in seen)
    other = lines(capsys, document, "--reply", f"https://a.example/y={document}")
    assert "NO_REPLY" in other[-1]["reason"]
    assert lines(capsys, document, "--fail", "")[-1]["outcome"] == "FAILED"


def test_a_document_with_arguments_is_no_document_of_its_own(write, capsys) -> None:
    greet = write({"type": "speak", "content": "${who}"}, "greet.json")
    for action, expected in (("validate", 1), ("show", 1), ("dry-run", 3)):
        code, told = run(capsys, action, greet)
        assert (code, "OPEN_PARAMETER" in told) == (expected, True)
    outer = write({"type": "subtree", "ref": "greet", "args": {"who": "you"}})
    assert run(capsys, "validate", outer, "--subtree", f"greet={greet}")[0] == 0


def test_parameters_and_a_running_robot_exclude_each_other(write, capsys) -> None:
    code, told = run(capsys, "validate", write(WALK), "--robot", "/", "--params", params(write))
    assert (code, "--params" in told) == (2, True)
