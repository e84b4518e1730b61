# SPDX-License-Identifier: Apache-2.0
"""Models that ask for much more than they are long are refused before MuJoCo reads them."""

import os
import re
import struct

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.physics.assembly import assemble
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.model_file import add_world, read_model
from embodiment_bridge.urdf.meshes import MOST_OBJ

BODY = '<body><joint name="j"/><geom size=".1"/></body>'
PICTURE = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 50_000, 50_000)


def mjcf(inside: str) -> str:
    return f"<mujoco>{inside}</mujoco>"


def world(inside: str) -> str:
    return mjcf(f"<worldbody>{BODY}{inside}</worldbody>")


def asset(inside: str) -> str:
    return world("")[: -len("</mujoco>")] + f"<asset>{inside}</asset></mujoco>"


GEOM = '<geom size=".1"/>'
TOO_LARGE = {
    "copies": (world(f'<replicate count="20000">{GEOM}</replicate>'), "elements"),
    "copies of copies": (
        world(f'<replicate count="200"><replicate count="200">{GEOM}</replicate></replicate>'),
        "elements",
    ),
    "copies of bodies": (world('<replicate count="4000"><body/></replicate>'), "bodies"),
    "a number with a point": (world(f'<replicate count="1e9">{GEOM}</replicate>'), "elements"),
    "a cable": (world('<body><composite type="cable" count="1000000 1 1"/></body>'), "elements"),
    "a soft body": (world('<flexcomp name="f" type="grid" count="500 500 500"/>'), "elements"),
    "elements": (world(GEOM * 20_000), "elements"),
    "bodies": (world("<body/>" * 4000), "bodies"),
    "a texture": (
        asset('<texture type="2d" builtin="flat" width="20000" height="20000"/>'),
        "bytes of textures",
    ),
    "a texture of a cube": (asset('<texture builtin="flat" width="6000"/>'), "bytes of textures"),
    "textures": (
        asset('<texture type="2d" builtin="flat" width="8000" height="8000"/>' * 3),
        "bytes of textures",
    ),
    "a picture": (asset('<texture type="2d" file="huge.png"/>'), "bytes of textures"),
    "a picture in a folder": (
        asset('<texture type="2d" file="huge2.png"/>').replace(
            "<asset>", '<compiler texturedir="deep"/><asset>'
        ),
        "bytes of textures",
    ),
    "a height field": (asset('<hfield nrow="10000" ncol="10000" size="1 1 1 1"/>'), "bytes of textures"),
    "user data": (mjcf('<size nuser_geom="500000000"/>'), "as nuser_geom of <size>"),
    "a sensor": (mjcf('<sensor><user dim="500000000"/></sensor>'), "as dim of <user>"),
    "a made mesh": (asset('<mesh builtin="supersphere" params="5000 1 1"/>'), "as params of <mesh>"),
    "a mesh of text": (asset('<mesh file="huge.obj"/>'), "more than the limit"),
    "a pipe": (asset('<mesh file="pipe.stl"/>'), "not a file"),
    "a pipe to include": (mjcf('<include file="pipe.stl"/>'), "not a file"),
    "itself": (mjcf('<include file="m.xml"/>'), "includes itself"),
    "includes of includes": (mjcf('<include file="c0.xml"/>' * 2), "elements"),
    "a long way of includes": (mjcf('<include file="d0.xml"/>'), "files inside one another"),
    "models of models": (
        mjcf(
            '<asset><model name="a" file="a0.xml"/></asset><worldbody>'
            + '<attach model="a"/>' * 9
            + "</worldbody>"
        ),
        "elements",
    ),
    "models that are not attached": (mjcf('<asset><model name="a" file="copies.xml"/></asset>'), "elements"),
    "pictures of a cube": (asset('<texture fileup="huge.png"/>'), "bytes of textures"),
    "a height field of a picture": (asset('<hfield file="large.png" size="1 1 1 1"/>'), "bytes of textures"),
    "a soft body of a file": (world('<flexcomp type="mesh" file="soft.obj"/>'), "bodies"),
    "a name space": (world(f'<replicate xmlns="a" count="20000">{GEOM}</replicate>'), "elements"),
    "what our parser could read in another way": (
        f"<!DOCTYPE a [<!ENTITY x '>{world(GEOM * 20_000)}'>]><mujoco/>",
        "DOCTYPE",
    ),
    "another encoding": (f'<?xml version="1.0" encoding="UTF-16"?>{world(GEOM * 20_000)}', "elements"),
    "what is not closed": (world(f'<replicate count="20000">{GEOM}'), "not well-formed"),
    "folders": (mjcf("".join(f'<compiler meshdir="{n}"/>' for n in range(40))), "folders"),
    "an endless file": (mjcf('<include file="/dev/zero"/>'), "not a file"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "deep").mkdir()
    for name in ("huge.png", "deep/huge2.png"):
        (folder / name).write_bytes(PICTURE)
    (folder / "large.png").write_bytes(PICTURE[:16] + struct.pack(">II", 8000, 8000))
    (folder / "soft.obj").write_bytes(b"v 0.123456 0.123456 0.123456\n" * 10_000)
    (folder / "copies.xml").write_text(TOO_LARGE["copies"][0])
    (folder / "huge.obj").write_bytes(b"f 1 2 3\n" * (MOST_OBJ // 8 + 1))
    os.mkfifo(folder / "pipe.stl")
    for n in range(40):
        (folder / f"c{n}.xml").write_text(
            mjcf(f'<include file="c{n + 1}.xml"/>' * 2 if n < 20 else world(GEOM))
        )
        (folder / f"d{n}.xml").write_text(mjcf(f'<include file="d{n + 1}.xml"/>'))
        more = f'<asset><model name="a" file="a{n + 1}.xml"/></asset>' if n < 10 else ""
        many = '<attach model="a"/>' * 9 if n < 10 else GEOM
        (folder / f"a{n}.xml").write_text(mjcf(f"{more}<worldbody>{many}</worldbody>"))
    return folder


@pytest.mark.parametrize("what", TOO_LARGE)
def test_models_that_become_huge_are_refused(folder, what, monkeypatch) -> None:
    text, words = TOO_LARGE[what]
    path = folder / "m.xml"
    path.write_text(text)
    monkeypatch.setattr(mujoco.MjSpec, "from_file", lambda _: pytest.fail("MuJoCo has read it"))
    with pytest.raises(ConfigError, match=re.escape(words)) as caught:
        read_model(path)
    assert "m.xml" in str(caught.value)
    with pytest.raises(ConfigError, match=re.escape(words)):
        add_world(mujoco.MjSpec(), str(path))


def test_what_is_within_the_limits_is_read(tmp_path) -> None:
    (tmp_path / "more.xml").write_text(
        mjcf(f'<worldbody><replicate count="10">{GEOM}</replicate></worldbody>')
    )
    path = tmp_path / "m.xml"
    path.write_text(
        world("")[: -len("</mujoco>")]
        + '<actuator><position joint="j"/></actuator><include file="more.xml"/></mujoco>'
    )
    assert assemble(read_model(path).path).model.ngeom >= 11


def test_a_description_of_thousands_of_links_is_refused(tmp_path) -> None:
    path = tmp_path / "r.urdf"
    joint = (
        '<link name="l{0}"/><joint name="j{0}" type="fixed"><parent link="l0"/><child link="l{0}"/></joint>'
    )
    path.write_text(
        '<robot name="r"><link name="l0"/>' + "".join(map(joint.format, range(1, 4000))) + "</robot>"
    )
    with pytest.raises(ConfigError, match="4000 links; 3000 are the most"):
        read_model(path)
