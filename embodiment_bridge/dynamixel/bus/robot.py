# SPDX-License-Identifier: Apache-2.0
"""All servo buses of a robot as one object: joints are named, whatever bus they are on."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import checked_port_name, checked_sdk_port
from embodiment_bridge.dynamixel.bus.requests import BusRequest, Done
from embodiment_bridge.dynamixel.bus.servo import SERVING, BusState, JointReading, stored_of
from embodiment_bridge.dynamixel.config.calibration import Stored, load_or_set_aside, save_calibration
from embodiment_bridge.dynamixel.config.servo_config import ServoSetup


class ServoRobot:
    """Drives the servos of a robot, by one thread per bus. Only ``stop`` waits for a bus.

    warning: why the calibration file could not be used, and what follows from it; empty if it could.

    Args:
        setup: from ``config_reader``.
        calibration: the user's file.
        margin_s: see ``ServoBus``.

    Raises:
        ConfigError: a port name, a register or a model is wrong, or the calibration file cannot be read.
    """

    def __init__(
        self,
        setup: ServoSetup,
        calibration: Path,
        *,
        margin_s: float = 0.01,
    ) -> None:
        self.setup = setup
        self._file, self._lock = calibration, threading.Lock()
        for config in setup.buses:
            checked_port_name(config.port_name)
            if config.port_handler == "sdk":
                checked_sdk_port(config.port_name, config.baud_rate)
        self._stored, self.warning = load_or_set_aside(calibration)
        if self.warning:  # stored, so that later starts know it too until each joint is calibrated
            self._stored = {servo.joint: Stored(servo.id, servo.model, lost=True) for servo in setup.servos}
            save_calibration(calibration, self._stored)
        self.buses = tuple(ServoBus(config, self._stored, margin_s=margin_s) for config in setup.buses)
        self._bus_of = {servo.joint: bus for bus in self.buses for servo in bus.config.servos}

    def start(self) -> None:
        """Open all ports, find the servos and set them up, without torque."""
        for bus in self.buses:
            bus.start()

    def stop_soon(self) -> None:
        """Let all buses begin to stop, without waiting; a signal handler may call it."""
        for bus in self.buses:
            bus.stop_soon()

    def stop(self) -> None:
        """Stop all buses and save the positions of the joints for the next start; see ``unsafe`` for the result."""
        self.stop_soon()  # all buses at the same time
        for bus in self.buses:
            bus.stop()
        if any(servo.known for bus in self.buses for servo in bus.servos):
            self.save(clean=True)

    def activate(self, on: bool) -> None:
        """Drive the joints, or apply the shutdown policies to them."""
        if on:
            self.save(clean=False)
        for bus in self.buses:
            bus.activate(on)

    def emergency_stop(self, action: str) -> None:
        """Begin a stop of all buses, ``torque_off`` or ``hold``; an empty action ends it where the joints are."""
        for bus in self.buses:
            bus.emergency_stop(action)

    def unconfirmed(self, action: str) -> str:
        """Say what of the ``emergency_stop`` with this action is not known to be done; empty: nothing."""
        late = [
            bus.config.name for bus in self.buses if bus.carried_out != action or bus.state not in SERVING
        ]
        told = (
            [f"not carried out on bus {', '.join(late)} ({self.state[1] or self.state[0].value})"]
            if late
            else []
        )
        if action == "torque_off":
            readings = self.readings().values()
            silent = [reading.joint for reading in readings if reading.silent]
            driven = [reading.joint for reading in readings if reading.torque and not reading.silent]
            told += [f"no answer from {', '.join(silent)}"] if silent else []
            told += [f"may still be driven: {', '.join(driven)}"] if driven else []
        return "; ".join(told)

    def readings(self) -> dict[str, JointReading]:
        """Return the readings of all joints that have a servo, by joint."""
        return {reading.joint: reading for bus in self.buses for reading in bus.readings()}

    def command(self, targets: Mapping[str, Target]) -> None:
        """Set the targets of joints; joints that mimic one of them and have a servo of their own follow it."""
        following = {
            name: Target(
                mimic.multiplier * targets[mimic.joint].position + mimic.offset,
                mimic.multiplier * targets[mimic.joint].velocity,
            )
            for name, mimic in self.setup.mimics.items()
            if name in self._bus_of and mimic.joint in targets
        }
        whole = {**targets, **following}
        for bus in self.buses:
            bus.command(whole)

    def request(self, joints: Sequence[str], make: Callable[[Sequence[str]], BusRequest], done: Done) -> None:
        """Send a request to the buses of ``joints`` (empty: all); ``done`` is called once, when all have answered.

        Raises:
            CommandError: a joint has no servo.
        """
        for joint in joints:
            if joint not in self._bus_of:
                raise CommandError(unknown("joint", joint, self._bus_of))
        chosen = [
            (bus, [joint for joint in joints if self._bus_of[joint] is bus])
            for bus in self.buses
            if not joints or any(self._bus_of[joint] is bus for joint in joints)
        ]
        answers = _Answers(len(chosen), done)
        for bus, own in chosen:
            bus.request(make(own), answers.add)

    def save(self, *, clean: bool) -> None:
        """Write the calibration file; entries of joints that this robot does not have are kept.

        So are those of servos that have not answered, and those that are refused, until the joint is calibrated.

        Raises:
            ConfigError: the file cannot be written.
        """
        servos = [servo for bus in self.buses for servo in bus.servos]
        kept = {
            servo.config.joint
            for servo in servos
            if servo.config.joint in self._stored and (servo.uncalibrated or not servo.known)
        }
        self.keep(
            {
                servo.config.joint: stored_of(servo, clean=clean)
                for servo in servos
                if servo.config.joint not in kept
            }
        )

    def keep(self, entries: Mapping[str, Stored]) -> None:
        """Put entries, by joint, into the calibration file. Any thread may.

        Raises:
            ConfigError: the file cannot be written.
        """
        with self._lock:
            stored = {**self._stored, **entries}
            save_calibration(self._file, stored)
            self._stored = stored

    @property
    def unsafe(self) -> dict[str, str]:
        """After ``stop``: the joints that should be limp and may still be driven, with the reason."""
        return {joint: why for bus in self.buses for joint, why in bus.unsafe.items()}

    @property
    def serving(self) -> bool:
        """Whether every bus is open and has a servo that answers."""
        return all(bus.state in SERVING for bus in self.buses)

    @property
    def state(self) -> tuple[BusState, str]:
        """The worst state of a bus, with its reason."""
        worst = max(self.buses, key=lambda bus: list(BusState).index(bus.state))
        return worst.state, worst.reason and f"{worst.config.name}: {worst.reason}"


class _Answers:
    """Collects the answers of several buses; ``done`` is called by the thread of the last one."""

    def __init__(self, count: int, done: Done) -> None:
        self._left, self._done = count, done
        self._lock = threading.Lock()
        self._success, self._texts, self._value = True, list[str](), 0

    def add(self, success: bool, text: str, value: int) -> None:
        """Add the answer of one bus."""
        with self._lock:
            self._success = self._success and success
            self._texts += [text] if text and text not in self._texts else []
            self._value += value
            self._left -= 1
            last = self._left == 0
        if last:
            self._done(self._success, "; ".join(self._texts), self._value)
