# SPDX-License-Identifier: Apache-2.0
"""The README begins with a moving picture, which does not make a clone much larger."""

import re
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]


def test_the_readme_begins_with_a_moving_picture() -> None:
    first = re.search(r"!\[[^]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert first is not None
    path = ROOT / first[1]
    assert path.stat().st_size < 2_000_000
    with Image.open(path) as picture:
        assert picture.n_frames > 50
        assert picture.info["duration"] >= 50  # ms; browsers slow faster ones down
