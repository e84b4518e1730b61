# SPDX-License-Identifier: Apache-2.0
"""Words of command lines: help and examples, times, namespaces."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import main, parser

ALL = parser()


def commands(one: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield one
    for action in one._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from commands(below)


def examples(one: argparse.ArgumentParser) -> list[str]:
    """Command lines, without what a shell does with them and what is said about them."""
    lines = re.findall(r"^(?:example:)? *embodiment_bridge (.*)$", one.epilog or "", re.MULTILINE)
    return [re.split(r" {3,}| #| [|<>] ", line.partition(" | ")[0])[0] for line in lines]


@pytest.mark.parametrize("command", list(commands(ALL)), ids=lambda command: command.prog)
def test_every_command_has_examples_and_explains_its_words(command: argparse.ArgumentParser) -> None:
    words = [action for action in command._actions if not isinstance(action, argparse._SubParsersAction)]
    assert [action.dest for action in words if not action.help] == []
    assert "embodiment_bridge" in (command.epilog or "")


@pytest.mark.parametrize("line", [line for command in commands(ALL) for line in examples(command)])
def test_examples_can_be_read(line: str) -> None:
    if line.endswith("--help"):
        with pytest.raises(SystemExit) as ended:
            ALL.parse_args(shlex.split(line))
        assert ended.value.code == 0
    else:
        assert ALL.parse_args(shlex.split(line)).run


def test_the_version_is_that_of_the_package(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    version = re.search(r"<version>(.+)</version>", (Path(__file__).parents[3] / "package.xml").read_text())[
        1
    ]
    assert capsys.readouterr().out == f"embodiment_bridge {version}\n"


def test_examples_are_found() -> None:
    found = {line for command in commands(ALL) for line in examples(command)}
    assert {"up bringup.launch.xml --show-args", "peer bml --songs 2", "decode rcsssmj percepts.bin"} <= found


@pytest.mark.parametrize(
    "words",
    [
        ["record", "--seconds"],
        ["run-bml", "dance.json", "--wait"],
        ["run-plan", "plan.xml", "--wait"],
        ["run-plan", "plan.xml", "--timeout"],
        ["bml", "dry-run", "dance.json", "--until"],
        ["bml", "record-motion", "out.yaml", "--seconds"],
        ["bml", "record-motion", "out.yaml", "--wait"],
    ],
)
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("-1", "-1 s is not a time"),
        ("nan", "nan s is not a time"),
        ("inf", "inf s is not a time"),
        ("soon", "'soon'"),
    ],
)
def test_what_is_no_time_is_refused(
    words: list[str], value: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, value])
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


def test_times_are_read() -> None:
    assert parser().parse_args(["record", "--seconds", "2.5"]).seconds == 2.5
    assert parser().parse_args(["record"]).seconds == 0.0


COMMANDS = [
    ["record"],
    ["replay", "bag"],
    ["run-bml", "dance.json"],
    ["run-plan", "plan.xml"],
    ["bml", "record-motion", "out.yaml"],
    ["view"],
]


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("text", ["a b", "7up", "/a//b", "a-b", "x" * 300])
def test_what_is_no_namespace_is_refused(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--namespace", text])
    assert ended.value.code == 2
    assert f"{text[:60]!r} is not a namespace" in capsys.readouterr().err


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize(("text", "read"), [("robot1", "/robot1"), ("/a/b/", "/a/b"), ("/", "/"), ("", "")])
def test_a_namespace_is_absolute(words: list[str], text: str, read: str) -> None:
    assert parser().parse_args([*words, "--namespace", text]).namespace == read


def test_words_that_are_no_values_are_refused_before_the_graph_is_looked_for(tmp_path: Path) -> None:
    file = tmp_path / "stop.json"
    file.write_text('{"type": "stop"}')
    assert main(["run-bml", str(file), "--set", "x"]) == 2
    assert main(["run-bml", str(file), "--subtree", "x"]) == 2
