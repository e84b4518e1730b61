# SPDX-License-Identifier: Apache-2.0
"""Files that are read as input: what is none, what is too large, and YAML that is safe."""

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml.composer import Composer

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.robots.robot import read_parameters
from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import MOST_TEXT, read_bytes, read_text
from embodiment_bridge.core.safe_yaml import MAX_DEPTH, MAX_VALUES
from embodiment_bridge.dynamixel.config.config_reader import read_servo_file
from embodiment_bridge.fetching.signature import read_key
from embodiment_bridge.launching import document as launch_document
from embodiment_bridge.link.transports.monitor_log import MonitorLog
from embodiment_bridge.link.transports.tape import Replay
from embodiment_bridge.media.files import marks
from embodiment_bridge.nodes.body import body_publishers
from embodiment_bridge.physics.model_file import read_model as read_physics_model
from embodiment_bridge.plans.plan_file import read_plan_file
from embodiment_bridge.protocols.opencog.world.report import read_things
from embodiment_bridge.standins.maeden.world import read_world
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.viewing.gate import token_of_user

READERS = {
    "body": read_body,
    "things": read_things,
    "plan": read_plan_file,
    "servos": read_servo_file,
    "URDF": read_urdf,
    "model": read_physics_model,
    "parameters": lambda path: read_parameters(str(path), [], "node"),
    "key": lambda path: read_key(str(path), "parameter signature_key_file"),
    "token": lambda path: token_of_user(str(path)),
    "launch": launch_document.load,
    "world": lambda path: read_world(str(path)),
    "recording": Replay,
    "log": MonitorLog,
    "marks": marks.from_file,
    "description": lambda path: body_publishers._read(str(path)),
}


@pytest.mark.parametrize("what", READERS)
def test_pipes_devices_and_folders_are_refused(tmp_path, what) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "link", Path("/dev/zero"), tmp_path):
        with pytest.raises(ConfigError, match=rf"{re.escape(str(path))}\b.*not a file"):
            READERS[what](path)


@pytest.mark.parametrize("what", READERS)
def test_files_of_a_terabyte_are_refused(tmp_path, what) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole
    with pytest.raises(ConfigError, match=rf"{re.escape(str(path))}.*{1 << 40} bytes.*limit of \d+"):
        READERS[what](path)


@pytest.mark.parametrize(
    "words",
    [
        ["bml", "validate"],
        ["bml", "preprocess"],
        ["bml", "dry-run"],
        ["bml", "replay"],
        ["encode", "dummy"],
        ["new-body"],
    ],
)
def test_commands_refuse_devices_and_pipes(tmp_path, capsys, words) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero"):
        assert main([*words, path]) == 2
        assert f"{path}: cannot be read: it is a folder, a pipe or a device" in capsys.readouterr().err


def test_what_a_shell_gives_as_a_file_is_read() -> None:
    """``<(command)`` is a pipe that this process has open already."""
    read_end, write_end = os.pipe()
    os.write(write_end, b"text")
    os.close(write_end)
    assert read_text(Path(f"/dev/fd/{read_end}")) == "text"
    os.close(read_end)


def test_what_grows_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ConfigError, match="/proc/self/maps: it has more bytes than the limit of 10"):
        read_bytes(Path("/proc/self/maps"), 10)  # whose size is 0


def test_errors_name_kind_and_file(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"^plan file /no/x: cannot be read: No such file or directory$"):
        read_text(Path("/no/x"), "plan file")
    with pytest.raises(ConfigError, match=r"^a.b: cannot be read: .*null byte$"):
        read_text(Path("a\0b"))
    (tmp_path / "x").write_bytes(b"ab\xff")
    with pytest.raises(ConfigError, match=r"x: not UTF-8, at byte 2 \(looks like Latin-1\)$"):
        read_text(tmp_path / "x")
    (tmp_path / "x").write_bytes(bytes(MOST_TEXT + 1))
    with pytest.raises(
        ConfigError, match=rf"x: its {MOST_TEXT + 1} bytes are more than the limit of {MOST_TEXT}$"
    ):
        read_text(tmp_path / "x")


def bomb(levels, merge=False):
    """Each level stands for ten of the one before."""
    lines = ["a0: &a0 {k0: 1, k1: 2}" if merge else "a0: &a0 [1, 2]"]
    for level in range(1, levels + 1):
        ten = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} " + (f"{{<<: [{ten}]}}" if merge else f"[{ten}]"))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: {b: [1, 2.5, true, ~, x]}", {"a": {"b": [1, 2.5, True, None, "x"]}}),
        ("a: &x {k: 1}\nb: *x\nc: {<<: *x, m: 2}", {"a": {"k": 1}, "b": {"k": 1}, "c": {"k": 1, "m": 2}}),
        ("a: '12:30'", {"a": "12:30"}),
        ("a: 0x1F", {"a": 31}),
        ("a: 1.5e+3", {"a": 1500.0}),
        ("a: .inf", {"a": float("inf")}),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
        ("", None),
    ],
)
def test_plain_values_are_read(text, value):
    found = safe_yaml.load(text)
    assert value is None or found == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 5000, f"nested more than {MAX_DEPTH} deep .*line 1, column {MAX_DEPTH + 1}"),
        ("{a: " * 5000, f"nested more than {MAX_DEPTH} deep"),
        ("- " * 5000, f"nested more than {MAX_DEPTH} deep"),
        ("? " * 5000, f"nested more than {MAX_DEPTH} deep"),
        (bomb(5), f"more than {MAX_VALUES} values"),
        (bomb(5, merge=True), f"more than {MAX_VALUES} values"),
        (bomb(60), f"more than {MAX_VALUES} values"),
        ("a: &a [*a]", "an alias refers to a value that contains it"),
        ("a: *b", "undefined alias"),
        ("[" + "1," * 60_000 + "1]", f"more than {MAX_VALUES} values"),
        ("a: 12:30", "'12:30' is a number to the base 60 in YAML; quote it"),
        ("a: 1:30.5", "'1:30.5' is a number to the base 60"),
        ("a: " + "9" * 5000, "more than 40 digits"),
        ("a: 0x" + "f" * 5000, "more than 40 digits"),
        ("a: " + ":".join(["1"] + ["59"] * 5000), "to the base 60"),
        ("a: 1\na: 2", "key 'a' given twice"),
        ('a: "\\ud800"', "invalid Unicode character escape code"),
        ("a: \ud800", "surrogates not allowed"),
        ("a: !!python/object:os.system x", "could not determine a constructor"),
        ("!!int ''", "index out of range"),
        ("a: 2001-99-99", "month"),
        ("x" * 1_000_001, "1000001 characters are more than the limit of 1000000"),
    ],
)
def test_what_is_bad_is_refused_in_one_line(text, says):
    with pytest.raises(ConfigError, match=says) as caught:
        safe_yaml.load(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "[" * 500_000])
def test_depth_is_refused_before_the_rest_is_composed(monkeypatch, text):
    composed = []
    compose = Composer.compose_node
    monkeypatch.setattr(Composer, "compose_node", lambda *given: (composed.append(1), compose(*given))[1])
    with pytest.raises(ConfigError):
        safe_yaml.load(text)
    assert len(composed) <= 2 * MAX_DEPTH  # a mapping has keys too


def test_launch_has_numbers_to_the_base_60_of_a_sane_length():
    assert safe_yaml.load("12:30", base_60=True) == 750
    with pytest.raises(ConfigError, match="more than 40 digits"):
        safe_yaml.load(":".join(["1"] + ["59"] * 5000), base_60=True)


@given(st.text(alphabet="ab:&*<>[]{}!|?-,'\"\\\n #09.x~%@`", max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(ConfigError):
        safe_yaml.load(text)
