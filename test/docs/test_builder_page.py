# SPDX-License-Identifier: Apache-2.0
"""The code of docs/builder.md runs, and what it says of errors is so."""

import re
from pathlib import Path

import pytest

from embodiment_bridge.bml import read
from embodiment_bridge.bml.authoring import builder
from embodiment_bridge.standins.bml.replies import FAULTS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "builder.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_code(code):
    names = {}
    exec(code, names)
    assert read(names["text"], strict=True).document is not None


def test_there_is_code():
    assert len(BLOCKS) == 1


def test_the_error_that_is_shown():
    with pytest.raises(builder.BuildError) as caught:
        builder.sequence(builder.delay(1), builder.delay(-1)).build()
    assert f"    {caught.value}\n" in PAGE


def test_all_functions_and_methods_are_named():
    own = [one for name, one in vars(builder).items() if getattr(one, "__module__", "") == builder.__name__]
    names = {one.__name__ for one in own} | {*vars(builder.Part)}
    for name in names - {"data", "problems"}:
        assert name.startswith("_") or re.search(rf"\b{name}\b", PAGE), name


def test_all_faults_are_named():
    page = (DOCS / "requests.md").read_text(encoding="utf-8")
    assert f"`{' '.join(FAULTS)}`" in page
