# SPDX-License-Identifier: Apache-2.0
"""Namespaces that commands are given: absolute afterwards, or a usage error before anything begins."""

from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import main, parser

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
