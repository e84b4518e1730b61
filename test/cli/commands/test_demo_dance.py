# SPDX-License-Identifier: Apache-2.0
"""The dance as people start it, in real time."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))


@pytest.mark.parametrize("body", ["mock", "rcsssmj"])
def test_the_dance_is_paused_goes_on_and_ends_upright(body: str) -> None:
    words = [COMMAND, "demo", "--show", "dance", "--body", body]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240.0)
    assert done.returncode == 0, done.stderr
    assert "SUCCEEDED" in done.stdout
    assert "upright" in done.stdout
    paused, went_on = (
        next(line for line in done.stderr.splitlines() if word in line)
        for word in ("paused at", "going on at")
    )
    assert paused.split()[3] == went_on.split()[4]
