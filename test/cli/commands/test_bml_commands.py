# SPDX-License-Identifier: Apache-2.0
"""`bml validate`, `dry-run`, `replay` and `record-motion` as people use them, but for the graph."""

import json

import pytest

from embodiment_bridge.cli.command_line import main, parser
from embodiment_bridge.cli.commands import bml_record

WAIT = {"type": "delay", "duration": 2}
GREETING = {
    "type": "selector",
    "behaviors": [
        {**WAIT, "duration": 1, "condition": {"key": "mood", "op": "==", "value": "good"}},
        {"type": "subtree", "ref": "otherwise"},
    ],
}


@pytest.fixture
def files(tmp_path):
    greeting, otherwise = tmp_path / "greeting.json", tmp_path / "otherwise.json"
    greeting.write_text(json.dumps(GREETING))
    otherwise.write_text(json.dumps(WAIT))
    return str(greeting), f"otherwise={otherwise}"


def last(capsys) -> dict:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_values_and_subtrees_of_a_dry_run(files, capsys) -> None:
    greeting, otherwise = files
    for value, seconds in (("good", 1.0), ('"good"', 1.0), ("bad", 2.0), ("1", 2.0)):
        assert main(["bml", "dry-run", greeting, "--subtree", otherwise, "--set", f"mood={value}"]) == 0
        assert last(capsys) == {"outcome": "SUCCEEDED", "t": seconds}
    assert main(["bml", "dry-run", greeting]) == 3
    assert "UNKNOWN_SUBTREE" in last(capsys)["reason"]


def test_a_seed_draws_the_same_again(tmp_path, capsys) -> None:
    path = tmp_path / "draw.json"
    draws = [{**WAIT, "duration": 1 + i} for i in range(9)]
    path.write_text(json.dumps({"type": "selector", "random": True, "behaviors": draws}))
    ends = []
    for seed in (1, 1, 2, 3, 4):
        assert main(["bml", "dry-run", str(path), "--seed", str(seed)]) == 0
        ends.append(last(capsys)["t"])
    assert ends[0] == ends[1]
    assert len(set(ends)) > 1


def test_times_and_warnings_of_validate(files, tmp_path, capsys) -> None:
    greeting, otherwise = files
    assert main(["bml", "validate", greeting, "--times", "--subtree", otherwise]) == 0
    assert capsys.readouterr().out == "time: [0, not known, 3] s\n"
    endless = tmp_path / "endless.json"
    endless.write_text(json.dumps({"type": "loop", "loop": -1, "behavior": WAIT}))
    assert main(["bml", "validate", str(endless), "--times"]) == 0
    out = capsys.readouterr().out
    assert "warning : FOREVER_WITHOUT_EXIT" in out
    assert out.endswith("time: [inf, inf, inf] s; for ever unless something ends it\n")


def test_a_missing_channel_may_be_a_failure(tmp_path, capsys) -> None:
    path = tmp_path / "grip.json"
    path.write_text('{"type": "body", "action": "HAND_GRIP"}')
    assert main(["bml", "dry-run", str(path), "--body", "t1"]) == 0
    assert last(capsys)["outcome"] == "SUCCEEDED"
    assert main(["bml", "dry-run", str(path), "--body", "t1", "--missing-channel", "fail"]) == 1
    assert "lacks hand_l, hand_r" in last(capsys)["reason"]


@pytest.mark.parametrize(
    "words",
    [
        ["dry-run", "FILE", "--set", "mood"],
        ["dry-run", "FILE", "--subtree", "x=nowhere.json"],
        ["dry-run", "FILE", "--set", "1=1"],
        ["replay", "FILE"],
        ["record-motion", "Big.yaml"],
        ["record-motion", "x.yaml", "--seconds", "0"],
        ["record-motion", "x.yaml", "--near", "nan"],
        ["record-motion", "x.yaml", "--body", "nobody"],
    ],
)
def test_bad_words_are_usage_errors(files, words: list[str], capsys) -> None:
    assert main(["bml", *(files[0] if word == "FILE" else word for word in words)]) == 2
    assert capsys.readouterr().err.startswith("embodiment_bridge: ")


@pytest.mark.parametrize(("out", "why"), [("wave.yaml", "File exists"), ("no/wave.yaml", "No such file")])
def test_what_cannot_be_written_is_told_before_a_motion_is_recorded(tmp_path, capsys, out, why) -> None:
    (tmp_path / "wave.yaml").write_text("mine")
    assert main(["bml", "record-motion", str(tmp_path / out), "--wait", "0.1"]) == 2
    assert f"{out}: {why}" in capsys.readouterr().err
    assert (tmp_path / "wave.yaml").read_text() == "mine"


def test_nothing_is_left_of_a_motion_that_was_not_recorded(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(bml_record, "_record", lambda _: ([], [], []))
    assert main(["bml", "record-motion", str(tmp_path / "wave.yaml")]) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", ["-1", "4294967296", "x"])
def test_a_seed_out_of_range_is_a_usage_error(files, seed: str, capsys) -> None:
    with pytest.raises(SystemExit) as ending:
        main(["bml", "dry-run", files[0], "--seed", seed])
    assert ending.value.code == 2


@pytest.mark.parametrize("priority", ["2147483648", "-2147483649", "x"])
def test_a_priority_that_a_goal_has_no_room_for_is_a_usage_error(priority: str, capsys) -> None:
    with pytest.raises(SystemExit) as ending:
        parser().parse_args(["run-bml", "dance.json", "--priority", priority])
    assert ending.value.code == 2
    assert "--priority" in capsys.readouterr().err


@pytest.mark.parametrize("priority", [2**31 - 1, -(2**31)])
def test_a_priority_is_what_a_goal_has_room_for(priority: int) -> None:
    assert parser().parse_args(["run-bml", "dance.json", f"--priority={priority}"]).priority == priority


def test_a_document_that_the_body_cannot_do_is_shown_with_its_errors(tmp_path, capsys) -> None:
    file = tmp_path / "fly.json"
    file.write_text('{"type": "sequence", "behaviors": [{"type": "body", "action": "FLY"}]}')
    assert main(["bml", "show", str(file)]) == 1
    told = capsys.readouterr()
    assert "body FLY" in told.out
    assert told.err.startswith("/behaviors/0/action: UNKNOWN_ACTION:")
    file.write_text('{"type": "speak", "content": "hello"}')
    assert main(["bml", "show", str(file)]) == 0
    assert capsys.readouterr().err == ""
