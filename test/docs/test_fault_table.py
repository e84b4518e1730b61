# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md has what the tests say, and every fault of every body has a test or a reason."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_tables_are_current_and_whole() -> None:
    words = [sys.executable, str(ROOT / "tools/fault_table.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
