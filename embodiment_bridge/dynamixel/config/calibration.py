# SPDX-License-Identifier: Apache-2.0
"""What a user's file keeps of each joint: the shift of its angle, and the turns that a servo without power forgets.

The file is replaced as a whole, so that it is never half written; the servos' own EEPROM stays as it is.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import NamedTemporaryFile

import yaml

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.errors import ConfigError

HEAD = (
    "# Calibration of the joints, written by the servo driver: shift in rad, ticks in counts of the servo.\n"
)
LARGEST_SHIFT = 1000.0  # rad
LARGEST_TICKS = 2**31


@dataclass(frozen=True, slots=True)
class Stored:
    """One joint. ticks: where the horn was when the driver ended, turns included; clean: it ended as it should."""

    id: int
    model: str
    shift: float = 0.0
    ticks: int | None = None
    clean: bool = False


def default_path(robot: str) -> Path:
    """Where the file of a robot is unless somebody says otherwise."""
    home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
    return home / "embodiment_bridge" / f"{robot}.yaml"


def load_calibration(path: Path) -> dict[str, Stored]:
    """All joints of the file; none when there is no file.

    Raises:
        ConfigError: it cannot be read, or something in it cannot be used.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"calibration file {path}: cannot be read: {error}") from error
    top = parse(text, f"calibration file {path}")
    joints = top.section("joints")
    found = {name: _read(joints.section(name)) for name in joints.names()}
    top.close()
    return found


def save_calibration(path: Path, joints: Mapping[str, Stored]) -> None:
    """Replace the file.

    Raises:
        ConfigError: it cannot be written.
    """
    entries = {
        name: {
            "id": stored.id,
            "model": stored.model,
            "shift": stored.shift,
            **({} if stored.ticks is None else {"ticks": stored.ticks}),
            "clean": stored.clean,
        }
        for name, stored in joints.items()
    }
    text = HEAD + yaml.safe_dump({"joints": entries}, sort_keys=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)
    except OSError as error:
        raise ConfigError(f"calibration file {path}: cannot be written: {error}") from error


def _read(section: Section) -> Stored:
    shift = section.number("shift", -LARGEST_SHIFT, LARGEST_SHIFT, default=0.0)
    ticks = section.number("ticks", -LARGEST_TICKS, LARGEST_TICKS) if section.has("ticks") else None
    clean = section.value("clean") is True if section.has("clean") else False
    stored = Stored(
        int(section.number("id", 0, 252)),
        section.text("model", default=""),
        shift,
        None if ticks is None or not isfinite(ticks) else int(ticks),
        clean,
    )
    section.close()
    return stored
