# SPDX-License-Identifier: Apache-2.0
"""`bag show`: what a recording holds, and the runs in it."""

import json
from pathlib import Path

import pytest
from bag_files import BEGIN, STRING, mcap, message, text, write_bag, write_texts
from embodiment_bridge.msg import NodeEvent
from rclpy.serialization import serialize_message

from embodiment_bridge.bags.writer import BagWriter, Definition, definition
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.commands import bag_show
from embodiment_bridge.launching.environment import find_share

EVENTS = "/behavior_tree/events"


def event(run_id: str, event: str, status: str = "", pointer: str = "", message: str = "") -> bytes:
    return bytes(
        serialize_message(
            NodeEvent(run_id=run_id, event=event, status=status, pointer=pointer, message=message)
        )
    )


def write_events(path: Path, events: list[tuple[float, bytes]], last: float = 10.0) -> Path:
    """A recording with events of a tree at times (s), and texts at the beginning and at ``last``."""
    writer = BagWriter(path)
    said = writer.add_topic("/said", STRING, definition(STRING, find_share), [])
    tree = writer.add_topic(EVENTS, bag_show.EVENTS, definition(bag_show.EVENTS, find_share), [])
    writer.take(said, BEGIN, text("first"))
    for when, data in events:
        writer.take(tree, BEGIN + round(when * 1e9), data)
    writer.take(said, BEGIN + round(last * 1e9), text("last"))
    assert writer.close().lost == 0
    return path


def shown(bag: Path, capsys: pytest.CaptureFixture[str], code: int = 0) -> dict:
    assert main(["bag", "show", str(bag), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_topics_have_number_rate_and_longest_gap(tmp_path, capsys) -> None:
    bag = write_texts(tmp_path / "bag", {0.0: "a", 1.0: "b", 4.0: "c", 5.0: "d"})
    facts = shown(bag, capsys)
    assert (facts["begin_ns"], facts["length"], facts["cut"], facts["error"]) == (BEGIN, 5.0, False, "")
    assert facts["topics"] == [
        {
            "name": "/said", "type": STRING, "messages": 4, "first": 0.0, "last": 5.0, "rate": 0.6,
            "longest_gap": 3.0, "gap_begin": 1.0,
        }
    ]  # fmt: skip
    assert main(["bag", "show", str(bag)]) == 0
    out = capsys.readouterr().out
    assert "5.000 s, whole" in out
    assert f"4     0.60 Hz  /said [{STRING}] longest gap 3.000 s at 1.000 s" in out


def test_runs_have_begin_end_and_outcome(tmp_path, capsys) -> None:
    events = [
        (1.0, event("a", "start", "RUNNING")),
        (1.0, event("a", "start", "RUNNING", "/behaviors/0")),
        (3.0, event("a", "failure", "FAILURE", "/behaviors/0", "no such thing\nat all")),
        (3.0, event("a", "failure", "FAILURE")),
        (3.5, event("a", "fallen", "", "/behaviors/0", "it lies on its back")),  # told after the end
        (5.0, event("b", "start", "RUNNING")),
        (6.0, event("b", "warning", "", "/behaviors/0", "not as usual")),
        (6.5, event("b", "success", "SUCCESS", "/behaviors/0")),
        (7.0, event("c", "start", "RUNNING")),
        (7.0, event("c", "failure", "FAILURE", "/behaviors/0", "the second choice will do")),
        (8.0, event("c", "success", "SUCCESS")),
    ]
    bag = write_events(tmp_path / "bag", events)
    failed, open_one, succeeded = shown(bag, capsys)["runs"]
    assert failed == {
        "topic": EVENTS, "run_id": "a", "begin": 1.0, "end": 3.0, "outcome": "FAILURE",
        "reason": "/behaviors/0: no such thing\nat all",
    }  # fmt: skip
    begun = (open_one["begin"], open_one["end"], open_one["outcome"], open_one["reason"])
    assert begun == (5.0, None, None, "")
    assert (succeeded["end"], succeeded["outcome"], succeeded["reason"]) == (8.0, "SUCCESS", "")
    assert main(["bag", "show", str(bag)]) == 0
    *_, first, second, _ = capsys.readouterr().out.splitlines()  # a line each, whatever the reason has in it
    assert "1.000 to     3.000 s  FAILURE  ....=========......" in first
    assert "5.000 to           s  open     " in second
    assert second.count("=") == 20  # half of the recording


def test_no_more_runs_are_kept_than_a_limit(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(bag_show, "MOST_RUNS", 2)
    bag = write_events(tmp_path / "bag", [(float(each), event(str(each), "start")) for each in range(1, 6)])
    facts = shown(bag, capsys)
    assert ([one["run_id"] for one in facts["runs"]], facts["left_out"]) == (["1", "2"], 3)


def test_recording_that_was_cut_off_says_so(tmp_path, capsys) -> None:
    bag = write_texts(tmp_path / "bag", {0.0: "a", 2.0: "b"})
    (bag / "metadata.yaml").unlink()
    (file,) = bag.glob("*.mcap")
    file.write_bytes(file.read_bytes()[:-30])
    facts = shown(bag, capsys)
    assert (facts["cut"], facts["length"], facts["topics"][0]["messages"]) == (True, 2.0, 2)
    assert main(["bag", "show", str(bag)]) == 0
    assert "2.000 s, cut off there" in capsys.readouterr().out


def test_foreign_types_are_counted(tmp_path, capsys) -> None:
    foreign = "strange_msgs/msg/Strange"
    writer = BagWriter(tmp_path / "bag")
    number = writer.add_topic("/strange", foreign, Definition("int32 x", "RIHS01_" + "1" * 64), [])
    writer.take(number, BEGIN, bytes(8))
    writer.close()
    (topic,) = shown(tmp_path / "bag", capsys)["topics"]
    assert (topic["type"], topic["messages"], topic["rate"], topic["longest_gap"]) == (foreign, 1, None, None)


def test_damage_is_told_after_what_could_be_read(tmp_path, capsys) -> None:
    bag = write_events(tmp_path / "bag", [(2.0, event("a", "start")), (3.0, b"\0\1\0\0\xff\xff")])
    assert main(["bag", "show", str(bag), "--json"]) == 1
    out, err = capsys.readouterr()
    facts = json.loads(out)
    assert [one["run_id"] for one in facts["runs"]] == ["a"]
    assert f"{EVENTS}: the event at 3.000 s is damaged" in facts["error"]
    assert facts["error"] in err


def test_what_cannot_be_opened_is_refused(tmp_path, capsys) -> None:
    assert main(["bag", "show", "nowhere"]) == 2
    assert "recording nowhere: cannot be read" in capsys.readouterr().err
    bag = write_bag(tmp_path / "bag", "x.mcap", mcap(message(text("a")))[:40])
    assert main(["bag", "show", str(bag)]) == 2
    out, err = capsys.readouterr()
    assert (out, "cannot be read" in err) == ("", True)
