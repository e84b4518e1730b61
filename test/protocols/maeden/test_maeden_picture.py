# SPDX-License-Identifier: Apache-2.0
"""The picture of the view in docs/maeden.md says of each cell what the package says of it."""

import xml.etree.ElementTree as ElementTree

import pytest
from builtin_interfaces.msg import Time
from maeden_recordings import WORLDS

from embodiment_bridge.grid.pose import GridPose, Heading
from embodiment_bridge.grid.world import WorldMap
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.converter import local_grid, percept_message
from embodiment_bridge.protocols.maeden.events import Percept
from embodiment_bridge.protocols.maeden.world import AgentWorld

PICTURE = WORLDS.parents[3] / "docs/pictures/maeden_view.svg"
SVG = "{http://www.w3.org/2000/svg}"
SYMBOLS = {"free": "()", "agent": '("0")', "key": '("K")', "wall": '("*")', "door": '("#")'}
SIDE = 34.0


@pytest.fixture(scope="module")
def panels():
    """By panel: each cell's name, what is in it, its corner in cells from the panel's left bottom, its label."""
    drawn = {}
    for panel in ElementTree.parse(PICTURE).getroot().findall(f"{SVG}g"):
        name = panel.get("id")
        boxes = [(box, panel[i + 1]) for i, box in enumerate(panel) if (box.get("id") or "").startswith(name)]
        left = min(float(box.get("x")) for box, _ in boxes) if boxes else 0.0
        bottom = max(float(box.get("y")) for box, _ in boxes) if boxes else 0.0
        drawn[name] = {
            box.get("id").removeprefix(f"{name}_"): (
                box.get("class"),
                ((float(box.get("x")) - left) / SIDE, (bottom - float(box.get("y"))) / SIDE),
                label.text,
            )
            for box, label in boxes
        }
    return drawn


@pytest.fixture(scope="module")
def percept(panels):
    """What a server sends of the view that is drawn: rows from the bottom up, columns from the left."""
    place = {corner: kind for kind, corner, _ in panels["view"].values()}
    rows = ["(" + " ".join(SYMBOLS[place[column, row]] for column in range(5)) + ")" for row in range(7)]
    lines = ["0", "8", "f", "()", f"({''.join(rows)})", "()", "()", "2000", "ok", "1"]
    events = Codec().feed("".join(f"{line}\n" for line in lines).encode())
    (seen,) = [event for event in events if isinstance(event, Percept)]
    return seen


def test_rows_and_columns(panels, percept):
    world = AgentWorld()
    world.percept = percept
    message = percept_message(world, percept, Time(), "base_link")
    assert len(panels["view"]) == 35
    for name, (kind, corner, label) in panels["view"].items():
        row, column = map(int, name.split("_"))
        assert corner == (column, row)
        assert list(message.view[int(label)].things) == [SYMBOLS[kind][2:3]] * (kind != "free")
        assert int(label) == 5 * row + column


def test_local_grid(panels, percept):
    grid = local_grid(percept.view, 1.0, Time(), "base_link")
    assert len(panels["local_grid"]) == grid.info.width * grid.info.height
    for name, (kind, (x, y), label) in panels["local_grid"].items():
        assert name == label == str(int(y) * grid.info.width + int(x))
        assert grid.data[int(name)] == (100 if kind in ("wall", "door") else 0)
    kinds = {kind: corner for kind, corner, _ in panels["local_grid"].values()}
    origin = grid.info.origin.position
    assert [c + 0.5 + o for c, o in zip(kinds["agent"], (origin.x, origin.y), strict=True)] == [0.0, 0.0]
    assert [c + 0.5 + o for c, o in zip(kinds["key"], (origin.x, origin.y), strict=True)] == [1.0, 0.0]


def test_map(panels, percept):
    known = WorldMap()
    known.look(GridPose(0, 0, Heading.W), percept.view, "0")
    assert len(panels["map"]) == len(known.cells)
    (left, bottom), _ = known.bounds
    for name, (kind, (x, y), label) in panels["map"].items():
        place = int(x) + left, int(y) + bottom
        assert name.replace("_", ",") == label == f"{place[0]},{place[1]}"
        symbol = "" if kind in ("free", "agent") else SYMBOLS[kind][2:3]
        assert known.cells[place] == ((symbol,) if symbol else ())
        assert (kind == "agent") == (place == (0, 0))


def test_it_is_in_the_page():
    assert f"(pictures/{PICTURE.name})" in (PICTURE.parents[1] / "maeden.md").read_text()
