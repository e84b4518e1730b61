# SPDX-License-Identifier: Apache-2.0
"""Reads servos in the form of ROBOTIS (dynamixel_hardware_interface).

A servo is a ``<gpio>`` of any name with an ``ID`` and registers in words. Matrices of the ``<hardware>`` say which
joints the servos move, in the order of the elements; without them the first servo moves the first joint.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Final
from xml.etree.ElementTree import Element

from embodiment_bridge.dynamixel.config.servo_config import MODE_NUMBERS

Told = Callable[[str], None]

JOINT_ALIASES: Final = {"ID": "id"}
TO_SERVO, TO_JOINT = "joint_to_transmission_matrix", "transmission_to_joint_matrix"
GRIPPER: Final = "use_revolute_to_prismatic_gripper"
# What has no meaning here, as joints and servos are counted and models are known.
COUNTS: Final = ("number_of_joints", "number_of_transmissions", "dynamixel_model_folder")
ELSEWHERE: Final = ("error_timeout_ms", "error_timeout_sec", "use_dummy", "disable_torque_at_init")
# Registers that a <gpio> may have; where it has others, the log tells.
GPIO_REGISTERS: Final = frozenset(
    {
        "drive_mode", "homing_offset", "return_delay_time", "shutdown", "position_p_gain", "position_i_gain",
        "position_d_gain", "feedforward_1st_gain", "feedforward_2nd_gain", "profile_velocity", "profile_acceleration",
        "current_limit", "pwm_limit", "velocity_limit", "max_position_limit", "min_position_limit",
    }
)  # fmt: skip


def params(element: Element, aliases: Mapping[str, str] = JOINT_ALIASES) -> dict[str, object]:
    """Return the ``<param>`` texts of an element by name."""
    found: dict[str, object] = {}
    for param in element.findall("param"):
        name = (param.get("name") or "").strip()
        found[aliases.get(name, name)] = (param.text or "").strip()
    return found


def gpio_servos(
    block: Element, name: str, bus: dict[str, object], problem: Told, warn: Told
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the joints that the ``<gpio>`` elements of a bus move, with their entries.

    name: of the bus. bus: entries of its ``<hardware>``; those that are used here, or mean nothing, are taken out.
    """
    to_servo, to_joint = (str(bus.pop(key, "")) for key in (TO_SERVO, TO_JOINT))
    gripper = str(bus.pop(GRIPPER, "0"))
    for key in (*COUNTS, *ELSEWHERE, *[key for key in bus if key.endswith(("_srv_name", "_msg_name"))]):
        bus.pop(key, None)
    servos = [(gpio, entries) for gpio in block.findall("gpio") if (entries := _servo(gpio, warn))]
    if not servos:
        return
    if gripper not in ("", "0", "false"):
        problem(
            f"bus {name!r}: {GRIPPER} is not known here: give the joint of the gripper a reduction and an offset"
        )
    joints = [
        (joint.get("name") or "").strip() for joint in block.findall("joint") if "mimic" not in params(joint)
    ]
    names = [(gpio.get("name") or "").strip() for gpio, _ in servos]
    if set(names) <= set(joints) and not to_servo and not to_joint:
        yield from zip(names, (entries for _, entries in servos), strict=True)
        return
    try:
        moved = _moved(len(servos), len(joints), to_servo, to_joint)
    except ValueError as error:
        problem(f"bus {name!r}: {error}")
        return
    for (_, entries), servo, (joint, reduction) in zip(servos, names, moved, strict=True):
        if reduction:
            yield joints[joint], entries | ({} if reduction == 1.0 else {"reduction": reduction})
        else:
            warn(f"<gpio name={servo!r}>: it moves no joint by {TO_SERVO}")


def _servo(gpio: Element, warn: Told) -> dict[str, object]:
    """Return the entries of a servo; none for a sensor or a board."""
    values = params(gpio)
    name, kind = (gpio.get("name") or "").strip(), values.pop("type", "dxl")
    if not name or "id" not in values:
        return {}
    if kind != "dxl":
        warn(f"<gpio name={name!r}>: what is of type {kind!r} is not driven")
        return {}
    read: dict[str, object] = {"id": values.pop("id")}
    modes = {str(number): mode for mode, number in MODE_NUMBERS.items()}
    for key, value in values.items():
        register = "_".join(key.lower().split())
        if register == "operating_mode" and value in modes:
            read["mode"] = modes[str(value)]
        elif register in GPIO_REGISTERS:
            read[f"registers.{register}"] = value
        else:
            warn(f"<gpio name={name!r}>: {key!r} ({value}) is not read")
    return read


def _moved(servos: int, joints: int, to_servo: str, to_joint: str) -> list[tuple[int, float]]:
    """Return which joint each servo moves, and its reduction; 0 for a servo that moves none.

    Raises:
        ValueError: a matrix is not one of numbers, the matrices do not fit, a servo moves several joints or several
            servos move one.
    """
    if not to_servo and not to_joint:
        if servos != joints:
            raise ValueError(
                f"{servos} <gpio> with an ID for {joints} joints: give them the names of their joints, or a {TO_SERVO}"
            )
        return [(number, 1.0) for number in range(servos)]
    forth = _rows(TO_SERVO, to_servo, servos, joints) if to_servo else []
    back = _rows(TO_JOINT, to_joint, joints, servos) if to_joint else []
    moved = []
    for servo in range(servos):
        own = {joint: rate for joint, rate in enumerate(forth[servo]) if rate} if forth else {}
        other = {joint: 1.0 / row[servo] for joint, row in enumerate(back) if row[servo]}
        if len(own) > 1 or len(other) > 1:
            raise ValueError(
                f"its matrices let servo {servo + 1} move several joints, which is not known here"
            )
        if (
            forth
            and back
            and (own.keys() != other.keys() or any(abs(own[j] / other[j] - 1) > 1e-3 for j in own))
        ):
            raise ValueError(
                f"{TO_SERVO} and {TO_JOINT} are not the inverse of each other in servo {servo + 1}"
            )
        moved += list((own or other).items()) or [(0, 0.0)]
    driven = [joint for joint, rate in moved if rate]
    if len(set(driven)) < len(driven):
        raise ValueError("its matrices let two servos move one joint, which is not known here")
    return moved


def _rows(name: str, text: str, rows: int, columns: int) -> Sequence[Sequence[float]]:
    try:
        numbers = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != rows * columns or not all(map(isfinite, numbers)):
        raise ValueError(f"{name} is not {rows} x {columns} numbers")
    return [numbers[row * columns : (row + 1) * columns] for row in range(rows)]
