# SPDX-License-Identifier: Apache-2.0
"""The songs as people start them, in real time."""

import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))


def test_two_songs_are_fetched_announced_and_danced_to() -> None:
    words = [COMMAND, "demo", "--show", "song", "--body", "mock"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240.0)
    assert done.returncode == 0, done.stderr
    assert "outcome            SUCCEEDED" in done.stdout
    assert "1 spoken, 4 media, 5 to their end" in done.stdout
    assert "was asked 6 times" in done.stdout
