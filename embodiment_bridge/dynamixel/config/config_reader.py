# SPDX-License-Identifier: Apache-2.0
"""Reads the servos of a robot from its description and overrides.

It reads ``<ros2_control>`` (one block is one bus; the name of its ``<plugin>`` does not matter), the
``<transmission>`` in it, and limits and mimics of the joints. Aliases of other drivers are accepted: ``ID`` for
``id``, ``usb_port`` for ``port_name``. Overrides have the same names, as a mapping ``{"buses": {BUS: {...}},
"joints": {JOINT: {...}}, "policy": {...}, "faults": {...}}``; a joint that is on no bus in the description names its
``bus`` there.
"""

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import TypedDict

from embodiment_bridge.body.config_section import parse
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.dynamixel.config.control_description import (
    Problems,
    Raw,
    Values,
    blocks_of,
    check_outside,
)
from embodiment_bridge.dynamixel.config.servo_config import (
    FAULTS,
    LEAST_REDUCTION,
    MODES,
    MOST_REDUCTION,
    ON_FAULT,
    ON_LOST,
    ON_SHUTDOWN,
    ON_START,
    PORT_HANDLERS,
    BusConfig,
    FaultPolicy,
    ServoConfig,
    ServoSetup,
)
from embodiment_bridge.urdf import Joint, Robot

SECTIONS = ("buses", "joints", "policy", "faults")
HIGHEST_ID = 252
REGISTER = "registers."


def read_servo_file(path: Path | str) -> Mapping[str, object]:
    """Return the overrides in a YAML file, not checked yet.

    Raises:
        ConfigError: the file cannot be read.
    """
    text = read_text(Path(path), "servo file")
    section = parse(text, f"servo file {path}")
    return {name: section.value(name) for name in section.names()}


def read_servo_setup(robot: Robot, overrides: Mapping[str, object] | None = None) -> ServoSetup:
    """Return the servos of a robot.

    Raises:
        ConfigError: with all problems: numbers, choices and names of entries, ids that two servos of a
            bus have, a joint on two buses or not in the description, a bus without a port, no servo at all.
    """
    problems = Problems()
    raw = blocks_of(robot, problems)
    _override(raw, dict(overrides or {}), robot, problems)
    check_outside(robot, raw, problems)
    reader = _Reader(robot, problems, raw)
    buses = tuple(reader.bus(name) for name in raw.buses)
    if not any(bus.servos for bus in buses) and not problems:
        problems.add(
            "no servo: there is no joint with an id in a <ros2_control> of the description "
            "('embodiment_bridge new-body' writes a copy of the description that has one)"
        )
    if problems:
        raise ConfigError(f"servos of robot {robot.name!r} cannot be used:\n  {problems}")
    mimics = {joint.name: joint.mimic for joint in robot.movable if joint.mimic is not None}
    return ServoSetup(robot.name, tuple(bus for bus in buses if bus.servos), mimics, tuple(reader.warnings))


def _override(raw: Raw, overrides: dict[str, object], robot: Robot, problems: Problems) -> None:
    for name in overrides:
        if name not in SECTIONS:
            problems.add(unknown("section", str(name), SECTIONS))
    raw.policy = _mapping(overrides.get("policy", {}), "policy", problems)
    raw.faults = _mapping(overrides.get("faults", {}), "faults", problems)
    for name, values in _mapping(overrides.get("buses", {}), "buses", problems).items():
        raw.buses.setdefault(name, {}).update(_mapping(values, f"bus {name!r}", problems))
    for name, values in _mapping(overrides.get("joints", {}), "joints", problems).items():
        own = _mapping(values, f"joint {name!r}", problems)
        for register, value in _mapping(
            own.pop("registers", {}), f"joint {name!r}: registers", problems
        ).items():
            own[REGISTER + register] = value
        bus = own.pop("bus", None) or raw.bus_of.get(name)
        if bus is None and len(raw.buses) == 1:
            bus = next(iter(raw.buses))
        if bus is None or str(bus) not in raw.buses:
            problems.add(f"joint {name!r}: {unknown('bus', str(bus), raw.buses)}")
            continue
        raw.bus_of[name] = str(bus)
        raw.joints.setdefault(name, {}).update(own)


def _mapping(value: object, where: str, problems: Problems) -> dict[str, object]:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return dict(value)
    problems.add(f"{where}: is not a mapping from names to values")
    return {}


class Policy(TypedDict):
    """Holds the policy entries of a servo, as ``ServoConfig`` has them; ``soft_start_s`` in s."""

    on_start: str
    on_shutdown: str
    on_lost: str
    soft_start_s: float


class _Reader:
    """Checks raw entries and makes the configuration of them."""

    def __init__(self, robot: Robot, problems: Problems, raw: Raw) -> None:
        self._robot = robot
        self._problems = problems
        self._raw = raw
        self.warnings = list(raw.warnings)
        self._policy = self._read_policy(Values("policy", raw.policy, problems), None)
        self._faults = self._read_faults()

    def bus(self, name: str) -> BusConfig:
        """Return one bus with its servos."""
        values = Values(f"bus {name!r}", self._raw.buses[name], self._problems)
        port = values.text("port_name")
        names = [joint for joint, bus in self._raw.bus_of.items() if bus == name]
        servos = tuple(servo for joint in names if (servo := self._servo(joint)) is not None)
        if servos and not port:
            self._problems.add(
                f"bus {name!r}: has no port_name (a path such as /dev/ttyUSB0, or socket://host:port)"
            )
        bus = BusConfig(
            name,
            port,
            servos,
            values.whole("baud_rate", 1_000_000, 1200, 10_500_000),
            values.number("rate_hz", 100.0, 1.0, 1000.0),
            values.number("return_delay_us", 0.0, 0.0, 508.0),
            values.flag("fix_return_delay", False),
            values.number("command_timeout_s", 0.5, 0.02, 60.0),
            values.flag("fast_read", True),
            values.text("port_handler", "own", PORT_HANDLERS),
        )
        values.close()
        self._check_ids(bus)
        return bus

    def _check_ids(self, bus: BusConfig) -> None:
        owner: dict[int, str] = {}
        for servo in bus.servos:
            if servo.id in owner:
                self._problems.add(
                    f"bus {bus.name!r}: joints {owner[servo.id]!r} and {servo.joint!r} both have id {servo.id}"
                )
            owner.setdefault(servo.id, servo.joint)

    def _servo(self, name: str) -> ServoConfig | None:
        joint = self._robot.joints.get(name)
        if joint is None:
            self._problems.add(unknown("joint", name, (joint.name for joint in self._robot.movable)))
            return None
        if not joint.type.movable:
            self._problems.add(f"joint {name!r}: is {joint.type.value}, so a servo cannot move it")
            return None
        values = Values(f"joint {name!r}", self._raw.joints[name], self._problems)
        if not values.has("id"):
            self._problems.add(f"joint {name!r}: has no id")
        lower, upper, velocity, effort = self._limits(joint, values)
        reduction = values.number("reduction", 1.0, -MOST_REDUCTION, MOST_REDUCTION)
        if abs(reduction) < LEAST_REDUCTION:
            values.wrong("reduction", "a number other than 0")
            reduction = 1.0
        servo = ServoConfig(
            name,
            values.whole("id", 0, 0, HIGHEST_ID),
            values.text("model"),
            values.text("mode", "position", MODES),
            self._registers(name, values),
            reduction,
            values.number("offset", 0.0, -1000.0, 1000.0),
            lower,
            upper,
            velocity,
            effort,
            values.number("torque_constant", 0.0, 0.0, 1000.0),
            **self._read_policy(values, self._policy),
            faults=self._faults,
        )
        values.close()
        return servo

    def _limits(self, joint: Joint, values: Values) -> tuple[float, float, float, float]:
        """Return the limits of the URDF, narrowed by those of the command interfaces."""
        limit = joint.limit
        if limit is None:
            self.warnings.append(f"joint {joint.name!r} has no <limit>: its targets are not limited")
            lower, upper, velocity, effort = -inf, inf, inf, inf
        else:
            lower, upper = limit.lower, limit.upper
            velocity, effort = limit.velocity or inf, limit.effort or inf
        low, high = values.number("min", lower), values.number("max", upper)
        if values.flag("limits", True):
            lower, upper = max(lower, low), min(upper, high)
        if lower > upper:
            self._problems.add(f"joint {joint.name!r}: its limits leave no range: {lower:g}..{upper:g} rad")
        return lower, upper, velocity, effort

    def _registers(self, joint: str, values: Values) -> dict[str, int]:
        found = {}
        for key in self._raw.joints[joint]:
            if key.startswith(REGISTER):
                found[key.removeprefix(REGISTER)] = values.whole(key, 0, -(2**31), 2**32 - 1)
        return found

    def _read_policy(self, values: Values, base: Policy | None) -> Policy:
        usual = base or Policy(on_start="on", on_shutdown="off", on_lost="hold", soft_start_s=1.0)
        policy = Policy(
            on_start=values.text("on_start", usual["on_start"], ON_START),
            on_shutdown=values.text("on_shutdown", usual["on_shutdown"], ON_SHUTDOWN),
            on_lost=values.text("on_lost", usual["on_lost"], ON_LOST),
            soft_start_s=values.number("soft_start_s", usual["soft_start_s"], 0.0, 60.0),
        )
        if base is None:
            values.close()
        return policy

    def _read_faults(self) -> FaultPolicy:
        values, usual = Values("faults", self._raw.faults, self._problems), FaultPolicy()
        reactions = {name: values.text(name, getattr(usual, name), ON_FAULT) for name in FAULTS}
        policy = FaultPolicy(
            **reactions,
            reboots_per_minute=values.whole("reboots_per_minute", usual.reboots_per_minute, 0, 60),
            torque_after_reboot=values.flag("torque_after_reboot", usual.torque_after_reboot),
        )
        values.close()
        return policy
