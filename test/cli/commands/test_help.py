# SPDX-License-Identifier: Apache-2.0
"""Help texts: every command shows how it is used and says what each of its words is; examples can be read."""

import argparse
import re
import shlex
from collections.abc import Iterator

import pytest

from embodiment_bridge.cli.command_line import parser

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


def test_examples_are_found() -> None:
    found = {line for command in commands(ALL) for line in examples(command)}
    assert {"up bringup.launch.xml --show-args", "peer bml --songs 2", "decode rcsssmj percepts.bin"} <= found
