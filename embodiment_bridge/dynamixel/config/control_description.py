# SPDX-License-Identifier: Apache-2.0
"""Reads the ``<ros2_control>`` elements of a robot description, as texts by bus and joint."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from embodiment_bridge.dynamixel.config.config_values import Problems
from embodiment_bridge.urdf import Robot

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
    """The entries as they were written, by bus and by joint, and the bus of each joint."""

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
    """The joints in the form of ROBOTIS: a ``<gpio>`` with an ``ID``, the name of its joint, and registers in words."""
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
