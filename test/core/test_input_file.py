# SPDX-License-Identifier: Apache-2.0
"""Files from outside: pipes, devices and what is too large are refused before anything blocks or fills the memory."""

import os
import re
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.robots.robot import read_parameters
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import MOST_TEXT, read_bytes, read_text
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
    with pytest.raises(ConfigError, match=r"x: cannot be read: it is not UTF-8: .* at byte 2$"):
        read_text(tmp_path / "x")
    (tmp_path / "x").write_bytes(bytes(MOST_TEXT + 1))
    with pytest.raises(
        ConfigError, match=rf"x: its {MOST_TEXT + 1} bytes are more than the limit of {MOST_TEXT}$"
    ):
        read_text(tmp_path / "x")
