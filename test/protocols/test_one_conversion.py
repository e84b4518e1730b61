# SPDX-License-Identifier: Apache-2.0
"""Units change in ``convert.py`` of a protocol's folder and nowhere else in it."""

import ast
from pathlib import Path

import pytest

PROTOCOLS = Path(__file__).parents[2] / "embodiment_bridge/protocols"
FOLDERS = sorted(path.name for path in PROTOCOLS.iterdir() if (path / "__init__.py").is_file())
CONVERSIONS = {"DEG_PER_RAD", "RAD_PER_DEG", "radians", "degrees", "deg2rad", "rad2deg"}
FACTORS = {57.2958, 57.29578, 57.29577951308232, 0.01745, 0.0174533, 0.017453292519943295}
WITH_DEGREES = {"dummy", "rcsssmj", "simspark", "soccer", "soccer_monitor"}


def conversions(source: str) -> list[str]:
    """What converts angles in a module, with its line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in CONVERSIONS:
                found.append(f"{node.lineno}: {name}")
            case ast.ImportFrom(names=names):
                found += [f"{node.lineno}: {one.name}" for one in names if one.name in CONVERSIONS]
            case ast.Constant(value=float() as value) if value in FACTORS:
                found.append(f"{node.lineno}: {value}")
            case ast.BinOp(op=ast.Mult() | ast.Div(), left=left, right=right):
                sides = [side.value for side in (left, right) if isinstance(side, ast.Constant)]
                found += [f"{node.lineno}: {value}" for value in sides if value in (180, 360)]
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_units_change_in_convert_only(folder):
    others = [path for path in (PROTOCOLS / folder).rglob("*.py") if path.name != "convert.py"]
    found = {
        str(path.relative_to(PROTOCOLS)): lines for path in others if (lines := conversions(path.read_text()))
    }
    assert not found, "move these into convert.py of the protocol"


@pytest.mark.parametrize("folder", sorted(WITH_DEGREES))
def test_conversions_of_degrees_are_seen(folder):
    assert conversions((PROTOCOLS / folder / "convert.py").read_text())


@pytest.mark.parametrize(
    "source",
    [
        "from math import radians",
        "import math\nx = math.degrees(1.0)",
        "from embodiment_bridge.core import units\nx = 3 * units.RAD_PER_DEG",
        "from math import pi\nx = 90 * pi / 180",
        "x = 90 * 0.0174533",
    ],
)
def test_each_form_of_a_conversion_is_seen(source):
    assert conversions(source)
