# SPDX-License-Identifier: Apache-2.0
"""The source distribution of this checkout, made of a copy, so that nothing is written beside the sources."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".*", "build", "install", "log", "benchmarks", "docs", "data", "*.egg-info", "__pycache__"
)
SCRIPT = "import sys; sys.path.insert(0, 'tools'); import build_backend; build_backend.build_sdist('..')"


def sdist(folder: Path) -> Path:
    """The archive, made in an empty folder."""
    copy = folder / "checkout"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    made_here = copy / "embodiment_bridge" / "__pycache__" / "cli.cpython-311.pyc"
    made_here.parent.mkdir()
    made_here.touch()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=copy, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (archive,) = folder.glob("*.tar.gz")
    return archive
