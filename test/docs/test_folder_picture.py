# SPDX-License-Identifier: Apache-2.0
"""The picture of the folders in docs/architecture.md is that of the code."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_picture_is_current() -> None:
    words = [sys.executable, str(ROOT / "tools/folder_picture.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
