# SPDX-License-Identifier: Apache-2.0
"""The names that users rely on are those that docs/public.json lists."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_name_came_or_went(tmp_path) -> None:
    words = [sys.executable, str(ROOT / "tools/public_names.py"), "--check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    compared = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    hint = "see docs/public.md; `python tools/public_names.py` writes the list"
    assert compared.returncode == 0, f"{compared.stdout}{compared.stderr}{hint}"
    assert not list(tmp_path.iterdir())
