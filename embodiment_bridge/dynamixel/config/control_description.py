# SPDX-License-Identifier: Apache-2.0
"""Reads the ``<ros2_control>`` elements of a robot description by bus and joint, and collects all problems."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import inf, isfinite
from typing import Final
from xml.etree.ElementTree import Element

from embodiment_bridge.core.errors import quoted, unknown
from embodiment_bridge.dynamixel.config.gpio_form import gpio_servos, params
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.urdf import Robot

TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")
PROBLEM_LIMIT = 50  # further problems are only counted


class Problems:
    """Collects the problems of a description, reported together at the end."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._more = 0

    def add(self, text: str) -> None:
        """Add a problem."""
        if len(self._texts) < PROBLEM_LIMIT:
            self._texts.append(text)
        else:
            self._more += 1

    def __bool__(self) -> bool:
        return bool(self._texts)

    def __str__(self) -> str:
        more = [f"and {self._more} more"] if self._more else []
        return "\n  ".join([*self._texts, *more])


class Values:
    """Holds the entries of one thing (a bus, a joint), from XML (always texts) or YAML (typed).

    An entry that is never read is reported as unknown.
    A value that cannot be used is reported, and its default is used.
    """

    def __init__(self, where: str, data: Mapping[str, object], problems: Problems) -> None:
        self.where = where
        self._data = data
        self._problems = problems
        self._read: set[str] = set()

    def wrong(self, key: str, should: str) -> None:
        """Report that the value of ``key`` is not ``should``."""
        self._problems.add(f"{self.where}: {key} {quoted(self._data.get(key))} is not {should}")

    def has(self, key: str) -> bool:
        """Return whether the entry is there."""
        self._read.add(key)
        return key in self._data

    def text(self, key: str, default: str = "", choices: Collection[str] | None = None) -> str:
        """Return a text, one of ``choices`` if given."""
        if not self.has(key):
            return default
        value = self._data[key]
        text = str(value).strip() if isinstance(value, (str, int, float)) else ""
        if isinstance(value, bool):
            text = "on" if value else "off"  # YAML reads these words as booleans
        if not text or len(text) > 1000:
            self.wrong(key, "a text")
            return default
        if choices is not None and text not in choices:
            self._problems.add(f"{self.where}: {unknown(key, text, choices)}")
            return default
        return text

    def number(self, key: str, default: float, lower: float = -inf, upper: float = inf) -> float:
        """Return a finite number within the limits, both included."""
        if not self.has(key):
            return default
        value = _number(self._data[key])
        if value is None or not lower <= value <= upper:
            bounded = isfinite(lower) or isfinite(upper)
            self.wrong(key, f"a number within {lower:g}..{upper:g}" if bounded else "a finite number")
            return default
        return value

    def whole(self, key: str, default: int, lower: int, upper: int) -> int:
        """Return a whole number within the limits, both included."""
        value = self.number(key, default, lower, upper)
        if value != int(value):
            self.wrong(key, "a whole number")
            return default
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        if not self.has(key):
            return default
        text = str(self._data[key]).strip().lower()
        if text not in (*TRUE, *FALSE):
            self.wrong(key, "true or false")
            return default
        return text in TRUE

    def close(self) -> None:
        """Report the entries that were not read."""
        for key in self._data:
            if key not in self._read:
                self._problems.add(f"{self.where}: {unknown('entry', key, self._read)}")


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and not value.isascii():
        return None
    try:
        number = (
            float(int(value, 0))
            if isinstance(value, str) and value.lower().startswith("0x")
            else float(value)
        )
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


BUS_ALIASES = {"usb_port": "port_name", "port": "port_name", "baudrate": "baud_rate"}
OWN_PLUGIN: Final = "embodiment_bridge/"
BUS_ENTRIES: Final = {entry.name for entry in fields(BusConfig)} - {"name", "servos"}


@dataclass
class Raw:
    """Holds entries as they were written, by bus and by joint, and the bus of each joint."""

    buses: dict[str, dict[str, object]] = field(default_factory=dict)
    joints: dict[str, dict[str, object]] = field(default_factory=dict)
    bus_of: dict[str, str] = field(default_factory=dict)
    policy: dict[str, object] = field(default_factory=dict)
    faults: dict[str, object] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def blocks_of(robot: Robot, problems: Problems) -> Raw:
    """Read all ``<ros2_control>`` elements; one in which no joint has an id is not for this driver and is skipped."""
    raw = Raw()
    for element in robot.extras:
        if element.tag == "ros2_control":
            _read_block(element, raw, problems)
    return raw


def _read_block(element: Element, raw: Raw, problems: Problems) -> None:
    name = (element.get("name") or "").strip() or f"bus{len(raw.buses) + 1}"
    joints = dict(_joints(element, name, problems))
    hardware = element.find("hardware")
    bus = params(hardware, BUS_ALIASES) if hardware is not None else {}
    for joint, values in gpio_servos(element, name, bus, problems.add, raw.warnings.append):
        joints[joint] = values | joints.get(joint, {})
    joints = {joint: values for joint, values in joints.items() if "id" in values}
    if not joints:
        return
    if name in raw.buses:
        problems.add(f"two <ros2_control> are called {name!r}")
        return
    plugin = ("" if hardware is None else hardware.findtext("plugin", "")).strip()
    foreign = [] if plugin.startswith(OWN_PLUGIN) else [key for key in bus if key not in BUS_ENTRIES]
    if foreign:
        raw.warnings.append(
            f"bus {name!r}: not read of what {plugin or 'its plugin'} has: {', '.join(foreign)}"
        )
    raw.buses[name] = {key: value for key, value in bus.items() if key not in foreign}
    for joint, entries in joints.items():
        if joint in raw.bus_of:
            problems.add(f"joint {joint!r} is on two buses: {raw.bus_of[joint]!r} and {name!r}")
            continue
        raw.joints[joint], raw.bus_of[joint] = entries, name
    _read_transmissions(element, raw, name, problems)


def outside_reductions(robot: Robot) -> Iterator[tuple[str, str, str]]:
    """Yield joint, name and reduction of the transmissions beside the ``<ros2_control>`` elements, as of ROS 1."""
    for element in robot.extras:
        if element.tag == "transmission":
            for joint in element.findall("joint"):
                reduction = _reduction(element, joint)
                if not _is_one(reduction):
                    yield (joint.get("name") or "").strip(), element.get("name") or "?", reduction


def check_outside(robot: Robot, raw: Raw, problems: Problems) -> None:
    """Add a problem for each transmission beside the ``<ros2_control>`` elements, if a joint would turn otherwise."""
    for joint, name, reduction in outside_reductions(robot):
        if "reduction" not in raw.joints.get(joint, {"reduction": ""}):
            problems.add(
                f"joint {joint!r}: its transmission {name!r} (reduction {reduction}) is outside the <ros2_control> of "
                "its bus, where it is not read; move it there, or give the joint a reduction"
            )


def _is_one(reduction: str) -> bool:
    try:
        return not reduction or float(reduction) == 1.0
    except ValueError:
        return False


def _reduction(*elements: Element) -> str:
    tags = ("mechanical_reduction", "mechanicalReduction")
    found = (element.findtext(f".//{tag}") for element in reversed(elements) for tag in tags)
    return next((text.strip() for text in found if text), "")


def _joints(element: Element, block: str, problems: Problems) -> Iterator[tuple[str, dict[str, object]]]:
    for joint in element.findall("joint"):
        name = (joint.get("name") or "").strip()
        if not name:
            problems.add(f"bus {block!r}: a <joint> has no name")
            continue
        values = params(joint)
        limits = joint.find("limits")
        if limits is not None:
            values["limits"] = limits.get("enable", "true")
        for interface in joint.findall("command_interface"):
            if interface.get("name") == "position":
                values |= {k: v for k, v in params(interface).items() if k in ("min", "max")}
        yield name, values


def _read_transmissions(element: Element, raw: Raw, block: str, problems: Problems) -> None:
    for transmission in element.findall("transmission"):
        name = transmission.get("name") or "?"
        plugin = (transmission.findtext("plugin") or "").strip()
        if not plugin.endswith("SimpleTransmission"):
            problems.add(
                f"bus {block!r}: transmission {name!r} has the plugin {plugin!r}, not a SimpleTransmission"
            )
            continue
        for joint in transmission.findall("joint"):
            target = raw.joints.get((joint.get("name") or "").strip())
            if target is None:
                problems.add(
                    f"bus {block!r}: transmission {name!r} moves joint {joint.get('name')!r}, which has no id"
                )
                continue
            for tag, key in (("mechanical_reduction", "reduction"), ("offset", "offset")):
                text = joint.findtext(tag)
                if text is not None:
                    target[key] = text.strip()
