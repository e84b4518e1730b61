# SPDX-License-Identifier: Apache-2.0
"""A protocol of another package, which says so by an entry point."""

import json
import sys

import pytest

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols import registry

SOURCE = """
from dataclasses import replace

from embodiment_bridge.protocols import dummy

ROOM = replace(dummy.ROOM, name="outside_head", summary="a head that lives in another package")
NO_ROOM = "something else"
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package with such entry points where Python finds installed ones."""

    def install(**rooms):
        package = tmp_path / "outside_package"
        package.mkdir()
        (package / "__init__.py").write_text(SOURCE, encoding="utf-8")
        info = tmp_path / "outside_package-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: outside-package\nVersion: 1.0\n", encoding="utf-8"
        )
        lines = [f"[{registry.GROUP}]", *(f"{name} = {place}" for name, place in rooms.items())]
        (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    sys.modules.pop("outside_package", None)


def test_room_is_found_and_decodes(install, tmp_path, capsys):
    install(outside_head="outside_package:ROOM")
    assert "outside_head" in registry.choices()
    assert registry.room("outside_head").summary == "a head that lives in another package"
    stream = tmp_path / "stream.bin"
    stream.write_bytes(b"hello head\n")
    assert main(["decode", "outside_head", str(stream)]) == 0
    assert json.loads(capsys.readouterr().out) == {"event": "Hello", "offset": 0, "name": "head"}


def test_room_encodes(install, tmp_path, capfdbinary):
    install(outside_head="outside_package:ROOM")
    lines = tmp_path / "commands.jsonl"
    lines.write_text('{"command": "SetJoints", "pan_deg": 1, "tilt_deg": 2}\n', encoding="utf-8")
    assert main(["encode", "outside_head", str(lines)]) == 0
    assert capfdbinary.readouterr().out == b"set pan 1.000 tilt 2.000\n"


def test_ours_wins_over_one_of_the_same_name(install):
    install(dummy="outside_package:ROOM")
    assert registry.room("dummy").name == "dummy"


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("outside_package:NO_ROOM", "'broken': outside_package:NO_ROOM is no Room"),
        (
            "outside_package:NOTHING",
            "outside_package:NOTHING: module 'outside_package' has no attribute 'NOTHING'",
        ),
        ("no_such_package:ROOM", "no_such_package:ROOM: No module named 'no_such_package'"),
    ],
)
def test_broken_entry_point_is_named_and_disturbs_no_other(install, place, reason):
    install(broken=place)
    with pytest.raises(ConfigError, match=reason):
        registry.room("broken")
    assert registry.room("dummy").name == "dummy"


def test_unknown_protocol_names_the_choices():
    with pytest.raises(
        ConfigError, match=r"unknown protocol 'dumy'; did you mean 'dummy'\? \(known: .*rcsssmj"
    ):
        registry.room("dumy")


def test_unknown_option_of_a_codec_is_named(capsys):
    assert main(["decode", "dummy", "/dev/null", "--dialect", "old"]) == 2
    assert "unknown option of protocol 'dummy' 'dialect'" in capsys.readouterr().err
