# SPDX-License-Identifier: Apache-2.0
"""Arguments of `embodiment_bridge peer`."""

import argparse

import pytest

from embodiment_bridge.cli.commands import peer


def read(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    peer.add(parser.add_subparsers(required=True))
    return parser.parse_args(["peer", *words])


@pytest.mark.parametrize(
    ("words", "world"),
    [
        ([], ""),
        (["mine.txt"], "mine.txt"),
        (["--world", "mine.txt"], "mine.txt"),
        (["--build", "T", "mine.txt"], "mine.txt"),
        (["--world", "mine.txt", "--port", "0"], "mine.txt"),
    ],
)
def test_the_world_of_the_grid_goes_without_its_name_too(words: list[str], world: str) -> None:
    assert read("maeden", *words).world == world


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["maeden", "a.txt", "b.txt"], "unrecognized arguments: b.txt"),
        (["dummy", "a.txt"], "unrecognized arguments: a.txt"),
        (["maeden", "--period", "0"], "0 is not within 0.001 to 10"),
        (["maeden", "--eating-ends", "yes"], "'yes' is neither true nor false"),
        (["nobody"], "invalid choice: 'nobody'"),
    ],
)
def test_bad_arguments_are_named(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read(*words)
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err
