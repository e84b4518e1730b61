# SPDX-License-Identifier: Apache-2.0
"""The user's calibration file.

For each joint the shift of its angle, and the turns that a servo loses without power.

The file is replaced as a whole, so that it is never half written. The EEPROM of the servos is not changed. Beside it
are the registers that a checklist of a servo has changed and not yet set back.
"""

import json
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from math import isfinite
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

import yaml

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import exists, is_file
from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded

HEAD = (
    "# Calibration of the joints, written by the servo driver: shift in rad, ticks in counts of the servo.\n"
)
LARGEST_SHIFT = 1000.0  # rad
LARGEST_TICKS = 2**31
LARGEST_FILE = 1 << 20  # bytes: some thousand joints
TOLD = 5  # files that a warning names


@dataclass(frozen=True, slots=True)
class Stored:
    """Represents the entry of one joint.

    id, model: the servo on which the joint was calibrated; for another one it does not count.

    ticks: position of the horn when the driver ended, turns included; clean: the driver ended normally.

    lost: an earlier entry could not be used, and the joint has not been calibrated since.
    """

    id: int
    model: str
    shift: float = 0.0
    ticks: int | None = None
    clean: bool = False
    lost: bool = False


def default_path(robot: str, namespace: str, ports: Sequence[str]) -> Path:
    """Return the default calibration file of a robot's servos at their ports: each robot has its own."""
    # Only the ports may make folders, and nothing leads out of this one.
    place = quote(robot, safe="").replace(".", "%2E") + namespace.rstrip("/").replace("/", "@")
    below = os.path.normpath("/" + "/".join(ports))
    return _home() / "calibration" / place / f"{below.strip('/')}.yaml"


def calibrations_elsewhere(path: Path) -> str:
    """Return a warning of other calibration files of the robot, if there is none at its default path ``path``."""
    base = _home() / "calibration"
    robot = path.relative_to(base).parts[0].partition("@")[0]
    if exists(path):
        return ""
    found = [old] if is_file(old := _home() / f"{robot}.yaml") else []
    found += sorted((*base.glob(f"{robot}/**/*.yaml"), *base.glob(f"{robot}@*/**/*.yaml")))
    if not found:
        return ""
    return (
        f"no calibration: {path} is not there. Not used, because of other ports or namespaces: "
        f"{', '.join(map(str, found[:TOLD]))}. If one is of these servos, copy it there, or name it as calibration_file"
    )


def _home() -> Path:
    return Path(os.environ.get("ROS_HOME") or Path.home() / ".ros") / "embodiment_bridge"


def load_calibration(path: Path) -> dict[str, Stored]:
    """Return all joints of the file; empty when there is no file.

    Raises:
        ConfigError: the file cannot be read, or an entry in it cannot be used.
    """
    data = _bytes_of(path)
    return {} if data is None else _joints_of(path, data)


def load_or_set_aside(path: Path) -> tuple[dict[str, Stored], str]:
    """Return the joints of the file and an empty text; or no joints and a warning that the unusable file was renamed.

    Raises:
        ConfigError: the file cannot be read or renamed.
    """
    data = _bytes_of(path)
    if data is None:
        return {}, ""
    try:
        return _joints_of(path, data), ""
    except ConfigError as error:
        aside = _free_name(path)
        try:
            path.rename(aside)
        except OSError as problem:
            raise ConfigError(f"{error}; and it cannot be set aside: {problem}") from error
        return {}, (
            f"{error}. The file is now {aside}. All joints stay limp until they are requested; calibrate them, or "
            f"repair the file and give it back its name {path.name}, or delete {path} to go on without calibration"
        )


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.bad{number or ''}") for number in count())
    return next(name for name in names if not name.exists())


def _bytes_of(path: Path) -> bytes | None:
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        if regular:  # a FIFO would wait for somebody who writes
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"calibration file {path}: cannot be read: {error}") from error
    if not regular:
        raise ConfigError(f"calibration file {path}: cannot be read: it is not a regular file")
    if len(data) > LARGEST_FILE:
        raise ConfigError(f"calibration file {path}: cannot be read: it has more than {LARGEST_FILE} bytes")
    return data


def _joints_of(path: Path, data: bytes) -> dict[str, Stored]:
    try:
        text = decoded(data)
    except NotUtf8Error as error:
        raise ConfigError(f"calibration file {path}: {error}") from error
    top = parse(text, f"calibration file {path}")
    joints = top.section("joints")
    found = {name: _read(joints.section(name)) for name in joints.names()}
    top.close()
    return found


def save_calibration(path: Path, joints: Mapping[str, Stored]) -> None:
    """Replace the file.

    Raises:
        ConfigError: the file cannot be written, or a shift is too large to be read again.
    """
    for name, stored in joints.items():
        if not abs(stored.shift) <= LARGEST_SHIFT:
            raise ConfigError(
                f"calibration file {path}: shift {stored.shift:g} rad of joint {name!r} is not within "
                f"{LARGEST_SHIFT:g} rad"
            )
    entries = {
        name: {
            "id": stored.id,
            "model": stored.model,
            "shift": stored.shift,
            **({} if stored.ticks is None else {"ticks": stored.ticks}),
            "clean": stored.clean,
            **({"lost": True} if stored.lost else {}),
        }
        for name, stored in joints.items()
    }
    _replace(path, HEAD + yaml.safe_dump({"joints": entries}, sort_keys=False), "calibration file")


def _replace(path: Path, text: str, what: str) -> None:
    try:
        path = path.resolve()  # a link of the user's stays a link
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            made = Path(file.name)
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                made.replace(path)
            except OSError:  # such as a full disk
                made.unlink()
                raise
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go round in a circle
        raise ConfigError(f"{what} {path}: cannot be written: {error}") from error


def _read(section: Section) -> Stored:
    shift = section.number("shift", -LARGEST_SHIFT, LARGEST_SHIFT, default=0.0)
    ticks = section.number("ticks", -LARGEST_TICKS, LARGEST_TICKS) if section.has("ticks") else None
    clean = section.value("clean") is True if section.has("clean") else False
    lost = section.value("lost") is True if section.has("lost") else False
    stored = Stored(
        int(section.number("id", 0, 252)),
        section.text("model"),
        shift,
        None if ticks is None or not isfinite(ticks) else int(ticks),
        clean,
        lost,
    )
    section.close()
    return stored


def _changed(port: str, id: int) -> Path:
    """The file of what a checklist has changed in a servo; a port has several names, and one device."""
    return _home() / "commission" / f"{quote(os.path.realpath(port), safe='')}@{id}.json"


def note_changed(port: str, id: int, model: str, registers: Mapping[str, int]) -> None:
    """Note the values (raw) that registers of a servo have before they are changed, for one who sets them back.

    Raises:
        ConfigError: they cannot be noted.
    """
    text = json.dumps({"model": model, "registers": dict(registers)})
    _replace(_changed(port, id), text, "registers of the servo")


def changed_registers(port: str, id: int, model: str) -> dict[str, int]:
    """The values (raw) that registers of a servo had before a checklist that did not set them back; empty if none.

    model: the name of its control table; the file of another servo does not count. Empty: any.
    """
    try:
        noted = json.loads(_changed(port, id).read_text(encoding="utf-8")[:LARGEST_FILE])
        if model in ("", noted["model"]):
            return {str(name): int(value) for name, value in noted["registers"].items()}
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        pass  # there is none, or it was not written by us
    return {}


def forget_changed(port: str, id: int) -> None:
    """The registers of a servo are as before."""
    with suppress(OSError):
        _changed(port, id).unlink(missing_ok=True)


def changed_by_checklist(servos: Sequence[tuple[str, int, str]]) -> list[str]:
    """A warning for each servo (port, id, model) whose registers a checklist has changed and not set back."""
    return [
        f"servo {id} at {port}: a checklist that was killed has left changed {', '.join(changed)}: "
        f"set them back with 'servos {port} commission --id {id} --restore'"
        for port, id, model in servos
        if (changed := changed_registers(port, id, model))
    ]
