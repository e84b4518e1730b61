# SPDX-License-Identifier: Apache-2.0
"""Arguments of `embodiment_bridge peer`."""

import argparse
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PROCESS

from embodiment_bridge.cli.commands import peer
from embodiment_bridge.wire.framing import frame

ROOT = Path(__file__).parents[3]


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


def test_command_ends_when_a_client_has_ended_the_stand_in() -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    program = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"
    words = ["peer", "simspark", "--port", "0", "--monitor-port", str(port)]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("simspark listens on 127.0.0.1:")
            with socket.create_connection(("127.0.0.1", port), PROCESS) as trainer:
                trainer.sendall(frame(b"(killsim)"))
                _, told = process.communicate(timeout=PROCESS)
            assert (process.returncode, told) == (
                1,
                "embodiment_bridge: simspark has ended: a client told it to, or it has a fault\n",
            )
        finally:
            process.kill()
