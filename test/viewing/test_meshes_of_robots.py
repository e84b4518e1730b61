# SPDX-License-Identifier: Apache-2.0
"""Mesh files of a description: within limits on the page, the right way round, and never the end of the page."""

import itertools
import math
import struct

import numpy as np
import pytest
import trimesh

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import Mesh, meshes, read_urdf
from embodiment_bridge.urdf.meshes import MOST_OBJ
from embodiment_bridge.viewing import robot_shape
from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_shape import RobotShape, read_mesh

CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))  # outward
URDF = """<robot name="r"><link name="base_link"/>
  <link name="part"><visual><origin xyz="0 0 -0.5" rpy="3.14159265358979 0 0"/>
    <geometry><mesh filename="{0}" scale="2 2 2"/></geometry></visual>
    <visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <joint name="j" type="fixed"><parent link="base_link"/><child link="part"/></joint></robot>"""


def stl(triangles) -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 0, *map(float, np.ravel(corners)), 0) for corners in triangles]
    return bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)


TETRAHEDRON = stl([[CORNERS[i] for i in face] for face in FACES])


def volume(triangles) -> float:
    """Positive where faces are counter-clockwise seen from outside."""
    a, b, c = (triangles.points[triangles.faces[:, i]] for i in range(3))
    return float((a * np.cross(b, c)).sum() / 6.0)


@pytest.fixture
def page():
    page = Page("127.0.0.1", 0)
    yield page
    page.close()


def test_scale_and_mirror(tmp_path) -> None:
    path = tmp_path / "t.STL"
    path.write_bytes(TETRAHEDRON)
    made = read_mesh(Mesh(f"file://{path}", (1.0, -2.0, 3.0)))
    assert made.points.min(axis=0) == pytest.approx((0.0, -2.0, 0.0))
    assert volume(made) == pytest.approx(1.0)  # mirrored, and still outside out


def test_obj_without_its_materials(tmp_path) -> None:
    path = tmp_path / "t.obj"
    lines = ["mtllib ../../secret.mtl", *(f"v {x} {y} {z}" for x, y, z in CORNERS)]
    lines += ["usemtl skin", *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES)]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert volume(read_mesh(Mesh(str(path)))) == pytest.approx(1.0 / 6.0)


def test_fine_mesh_is_drawn_coarser(tmp_path) -> None:
    angles = np.linspace(0.0, 2.0 * math.pi, 151)
    grid = [
        [(math.sin(b / 2) * math.cos(a), math.sin(b / 2) * math.sin(a), math.cos(b / 2)) for a in angles]
        for b in angles
    ]
    triangles = []
    for low, high in itertools.pairwise(grid):
        for i in range(150):
            triangles += [(low[i], high[i], high[i + 1]), (low[i], high[i + 1], low[i + 1])]
    path = tmp_path / "ball.stl"
    path.write_bytes(stl(triangles))
    made = read_mesh(Mesh(str(path)))
    assert 2_000 < len(made.faces) <= robot_shape.MOST_MESH_TRIANGLES < len(triangles)
    assert volume(made) == pytest.approx(4.0 / 3.0 * math.pi, rel=0.03)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("none.stl", None, "is not there"),
        ("x.dae", b"<COLLADA/>", "is not one of .stl, .obj"),
        ("x.glb", b"glTF", "cannot be read"),
        (
            "x.ply",
            b"ply\nformat ascii 1.0\nelement face 99999999999\nend_header\n",
            "cannot be read|no triangles",
        ),
        ("x.stl", b"", "cannot be read|no triangles"),
        ("x.stl", b"root:x:0:0:root:/root:/bin/sh\n", "cannot be read|no triangles"),
        ("x.stl", bytes(80) + struct.pack("<I", 2**32 - 1), "cannot be read|no triangles"),
        ("x.stl", stl([[(math.nan, 0, 0), (1, 0, 0), (0, 1, 0)]]), "no triangles"),
        ("x.obj", b"f 1 2 3\n", "cannot be read|no triangles"),
        ("x.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", "cannot be read|no triangles"),
    ],
)
def test_what_is_not_a_mesh(tmp_path, name, data, words) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ConfigError, match=words):
        read_mesh(Mesh(str(path)))


@pytest.mark.parametrize(
    "name", ["x.stl", "http://example.org/x.stl", "package://no_such/x.stl", "/dev/zero", "a\0b.stl"]
)
def test_names_that_are_not_looked_for(name, monkeypatch, tmp_path) -> None:
    (tmp_path / "x.stl").write_bytes(TETRAHEDRON)
    monkeypatch.chdir(tmp_path)  # a relative name means nothing to who only has the text
    with pytest.raises(ConfigError, match="is not there"):
        read_mesh(Mesh(name))


def test_large_file_is_not_read(tmp_path, monkeypatch) -> None:
    path = tmp_path / "x.stl"
    path.write_bytes(TETRAHEDRON)
    monkeypatch.setattr(meshes, "MOST_BYTES", len(TETRAHEDRON) - 1)
    with pytest.raises(ConfigError, match="more than the limit of"):
        read_mesh(Mesh(str(path)))


@pytest.mark.parametrize(
    ("faces", "words"),
    [
        (b"f 1 2 3\n" * (MOST_OBJ // 8), "more than the limit"),
        (b"f " + b"1 2 3 " * 1_500_000 + b"\n", "4500000 corners; 4000000 are the most"),
    ],
)
def test_text_meshes_of_millions_of_faces_are_not_read(tmp_path, faces, words) -> None:
    path = tmp_path / "x.obj"
    path.write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + faces)
    with pytest.raises(ConfigError, match=words):
        read_mesh(Mesh(str(path)))


def test_materials_and_groups_of_a_text_mesh_cost_nothing(tmp_path, monkeypatch) -> None:
    """trimesh makes a mesh of each, by looking at all faces again."""
    loaded = []
    monkeypatch.setattr(
        trimesh,
        "load_mesh",
        lambda file, *a, load=trimesh.load_mesh, **k: loaded.append(file.getvalue()) or load(file, *a, **k),
    )
    path = tmp_path / "x.obj"
    rows = [b"usemtl m%d\ng g%d\nf 1/1/1 2/1/1 \\\n 3/1/1\n" % (i, i) for i in range(3)]
    path.write_bytes(b"mtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\n" + b"".join(rows))
    assert len(read_mesh(Mesh(str(path))).faces) == 3
    assert {line[:2] for line in loaded[0].splitlines()} == {b"v ", b"f "}


def test_robot_is_drawn_with_its_mesh(page, tmp_path) -> None:
    path = tmp_path / "t.stl"
    path.write_bytes(TETRAHEDRON)
    shape = RobotShape(page.scene, "/robot", read_urdf(URDF.format(path)))
    drawn = page.scene.get_handle_by_name(f"{shape.paths['part']}/visual0")
    assert type(drawn).__name__ == "MeshHandle"
    assert shape.left_out == []
    assert shape.lowest() == pytest.approx(-2.5)  # upside down: the tip is at -0.5 - 2 m


@pytest.mark.parametrize("kind", ["stl_ascii", "ply", "glb"])
def test_other_kinds_of_meshes(kind, tmp_path) -> None:
    path = tmp_path / f"t.{kind.partition('_')[0]}"
    path.write_bytes(as_bytes(trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type=kind)))
    made = read_mesh(Mesh(str(path), (1.0, 2.0, 3.0)))
    assert volume(made) == pytest.approx(1.0)
    assert made.points.max(axis=0) == pytest.approx((1.0, 2.0, 3.0))


def as_bytes(data: bytes | str) -> bytes:
    return data.encode() if isinstance(data, str) else data


def test_a_short_file_that_repeats_a_mesh_is_not_read(tmp_path, monkeypatch) -> None:
    scene = trimesh.Scene()
    ball = trimesh.creation.icosphere()
    scene.add_geometry(ball, geom_name="ball")
    for number in range(9):
        scene.add_geometry(ball, geom_name="ball", transform=np.eye(4) * (number + 2))
    (tmp_path / "x.glb").write_bytes(scene.export(file_type="glb"))
    monkeypatch.setattr(robot_shape, "MOST_CORNERS", 3 * 9 * len(ball.faces))
    with pytest.raises(ConfigError, match=r"corners; \d+ are the most"):
        read_mesh(Mesh(str(tmp_path / "x.glb")))


def test_mesh_that_is_missing_is_a_box_and_named_once(page) -> None:
    text = URDF.format("/no/such.stl").replace(
        '<link name="base_link"/>',
        '<link name="base_link"><visual><geometry><mesh filename="/no/such.stl"/></geometry></visual></link>',
    )
    shape = RobotShape(page.scene, "/robot", read_urdf(text))
    assert shape.left_out == ["link 'base_link': mesh '/no/such.stl' is not there"]
    for node in ("visual0", "visual1"):
        assert type(page.scene.get_handle_by_name(f"{shape.paths['part']}/{node}")).__name__ == "BoxHandle"


def test_mesh_of_too_many_triangles_is_its_box(page, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(robot_shape, "MOST_TRIANGLES", 3)
    path = tmp_path / "t.stl"
    path.write_bytes(TETRAHEDRON)
    shape = RobotShape(page.scene, "/robot", read_urdf(URDF.format(path)))
    box = page.scene.get_handle_by_name(f"{shape.paths['part']}/visual0")
    assert shape.left_out == ["link 'part': more than 3 triangles"]
    assert box.dimensions == pytest.approx((2.0, 2.0, 2.0))
    assert box.position == pytest.approx((1.0, -1.0, -1.5), abs=1e-6)


def test_capsule_stands_on_its_end(page) -> None:
    capsule = '<capsule radius="0.1" length="1"/>'
    text = URDF.format("x").replace('<mesh filename="x" scale="2 2 2"/>', capsule)
    shape = RobotShape(page.scene, "/robot", read_urdf(text))
    assert type(page.scene.get_handle_by_name(f"{shape.paths['part']}/visual0")).__name__ == "MeshHandle"
    assert shape.lowest() == pytest.approx(-1.1)


def test_meshes_are_found_beside_the_description(tmp_path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/x.stl").write_bytes(TETRAHEDRON)
    for name in ("package://assets/x.stl", "model://assets/x.stl", "assets/x.stl"):
        assert meshes.find_mesh(name, tmp_path / "robot.urdf") == tmp_path / "assets/x.stl"


def test_triangles_of_a_robot_are_limited(page, tmp_path, monkeypatch) -> None:
    path = tmp_path / "t.stl"
    path.write_bytes(TETRAHEDRON)
    monkeypatch.setattr(robot_shape, "MOST_TRIANGLES", 3)
    shape = RobotShape(page.scene, "/robot", read_urdf(URDF.format(path)))
    assert shape.left_out == ["link 'part': more than 3 triangles"]
