# SPDX-License-Identifier: Apache-2.0
"""Reads the ``<ros2_control>`` elements of a robot description by bus and joint, and collects all problems.

It also writes a first one for a description that has none.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Final
from xml.etree.ElementTree import Element
from xml.sax.saxutils import quoteattr

from embodiment_bridge.core.errors import ConfigError, quoted, unknown
from embodiment_bridge.urdf import Joint, JointType, Robot

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
JOINT_ALIASES = {"ID": "id"}
# Entries of other drivers that have no meaning here.
IGNORED = frozenset(
    {
        "dynamixel_model_folder",
        "number_of_joints",
        "number_of_transmissions",
        "transmission_to_joint_matrix",
        "joint_to_transmission_matrix",
        "error_timeout_ms",
        "error_timeout_sec",
        "use_dummy",
    }
)
# Registers that a <gpio> may have; where it has others, the log tells.
GPIO_REGISTERS = frozenset(
    {
        "drive_mode", "homing_offset", "return_delay_time", "shutdown", "position_p_gain", "position_i_gain",
        "position_d_gain", "feedforward_1st_gain", "feedforward_2nd_gain", "profile_velocity", "profile_acceleration",
        "current_limit", "pwm_limit", "velocity_limit", "max_position_limit", "min_position_limit",
    }
)  # fmt: skip


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
    for joint, values in _gpios(element, raw.warnings):
        joints[joint] = values | joints.get(joint, {})
    joints = {joint: values for joint, values in joints.items() if "id" in values}
    if not joints:
        return
    if name in raw.buses:
        problems.add(f"two <ros2_control> are called {name!r}")
        return
    hardware = element.find("hardware")
    values = _params(hardware, BUS_ALIASES) if hardware is not None else {}
    raw.buses[name] = {key: value for key, value in values.items() if key not in IGNORED}
    for joint, entries in joints.items():
        if joint in raw.bus_of:
            problems.add(f"joint {joint!r} is on two buses: {raw.bus_of[joint]!r} and {name!r}")
            continue
        raw.joints[joint], raw.bus_of[joint] = entries, name
    _read_transmissions(element, raw, name, problems)


def check_outside(robot: Robot, raw: Raw, problems: Problems) -> None:
    """Add a problem for each transmission beside the ``<ros2_control>`` elements, if a joint would turn otherwise."""
    for element in robot.extras:
        if element.tag != "transmission":
            continue
        for joint in element.findall("joint"):
            values = raw.joints.get((joint.get("name") or "").strip())
            reduction = _reduction(element, joint)
            if values is not None and "reduction" not in values and not _is_one(reduction):
                problems.add(
                    f"joint {joint.get('name')!r}: its transmission {element.get('name')!r} (reduction {reduction}) is "
                    "outside the <ros2_control> of its bus, where it is not read; move it there, or give the joint a "
                    "reduction"
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
        values = _params(joint, JOINT_ALIASES)
        limits = joint.find("limits")
        if limits is not None:
            values["limits"] = limits.get("enable", "true")
        for interface in joint.findall("command_interface"):
            if interface.get("name") == "position":
                values |= {k: v for k, v in _params(interface, {}).items() if k in ("min", "max")}
        yield name, values


def _gpios(element: Element, warnings: list[str]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the joints in the form of ROBOTIS: a ``<gpio>`` with an ``ID``, a joint's name, and registers in words."""
    for gpio in element.findall("gpio"):
        values = _params(gpio, JOINT_ALIASES)
        name = (gpio.get("name") or "").strip()
        if not name or "id" not in values:
            continue
        read: dict[str, object] = {"id": values.pop("id")}
        for key, value in values.items():
            register = "_".join(key.lower().split())
            if register in GPIO_REGISTERS:
                read[f"registers.{register}"] = value
            elif key != "type":
                warnings.append(f"<gpio name={name!r}>: {key!r} ({value}) is not read")
        yield name, read


def _params(element: Element, aliases: dict[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for param in element.findall("param"):
        name = (param.get("name") or "").strip()
        found[aliases.get(name, name)] = (param.text or "").strip()
    return found


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


PINION_PER_M: Final = 100  # rad of a servo per m of a sliding joint: a pinion of 10 mm
END: Final = "</robot>"
FIRST_BLOCK: Final = """
  <!-- Written by `embodiment_bridge new-body`: put the port, ids and models of your servos. docs/dynamixel.md has
       what else can be said, such as transmissions for gears and for joints that turn the other way. -->
  <ros2_control name="servos" type="system">
    <hardware>
      <plugin>embodiment_bridge/DynamixelBus</plugin>
      <param name="port_name">/dev/ttyUSB0</param>
      <param name="baud_rate">1000000</param>
    </hardware>
"""
SLIDE: Final = """\
    <transmission name={transmission}>
      <plugin>transmission_interface/SimpleTransmission</plugin>
      <actuator name={actuator} role="actuator1"/>
      <!-- rad of the servo per m of the joint: a pinion of 10 mm -->
      <joint name={joint} role="joint1"><mechanical_reduction>{per_m}</mechanical_reduction></joint>
    </transmission>
"""


def with_servos(urdf: str, joints: Sequence[Joint]) -> str:
    """Return a description with a first ``<ros2_control>``: a servo for each of ``joints``, with ids from 1 on.

    Raises:
        ConfigError: the text does not end with ``</robot>``.
    """
    before, end, after = urdf.rpartition(END)
    if not end or after.strip():
        raise ConfigError(f"the description does not end with {END}, so that servos cannot be added to it")
    block = FIRST_BLOCK
    for id, joint in enumerate(joints, 1):
        block += f'    <joint name={quoteattr(joint.name)}><param name="id">{id}</param></joint>\n'
    for joint in joints:
        if joint.type is JointType.PRISMATIC:
            block += SLIDE.format(
                transmission=quoteattr(f"{joint.name}_transmission"),
                actuator=quoteattr(f"{joint.name}_servo"),
                joint=quoteattr(joint.name),
                per_m=PINION_PER_M,
            )
    return f"{before.rstrip()}\n{block}  </ros2_control>\n{END}\n"
