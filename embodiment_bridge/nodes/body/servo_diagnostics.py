# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of servo buses: problems as text, and values for finding the cause."""

from collections.abc import Iterable, Mapping
from math import inf, isfinite

from diagnostic_msgs.msg import DiagnosticStatus

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.port import latency_timer_ms
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.bus.servo import BusState, JointReading

LEVELS = {BusState.DEGRADED: DiagnosticStatus.WARN, BusState.LOST: DiagnosticStatus.ERROR}
GOOD = {BusState.READY, BusState.ACTIVE}


def diagnose_servos(robot: ServoRobot, now: float, notes: str) -> tuple[bytes, str, Mapping[str, object]]:
    """Level, one line, values. ``now``: s of the monotonic clock; ``notes``: problems of the node, or empty."""
    values: dict[str, object] = {}
    level: bytes = DiagnosticStatus.OK
    texts = [notes] if notes else []
    for bus in robot.buses:
        values |= _bus_values(bus)
        found = LEVELS.get(bus.state, DiagnosticStatus.OK if bus.state in GOOD else DiagnosticStatus.WARN)
        level = max(level, found)
        if bus.reason:
            texts.append(f"{bus.config.name}: {bus.reason}")
        if bus.guardian_problem:
            level = max(level, DiagnosticStatus.WARN)
            texts.append(f"{bus.config.name}: {bus.guardian_problem}")
        for reading in bus.readings():
            values[reading.joint] = _joint_text(reading, now)
            if reading.error:
                level = max(level, DiagnosticStatus.ERROR)
            elif reading.reason:
                level = max(level, DiagnosticStatus.WARN)
            if reading.reason and not reading.silent:
                texts.append(f"{reading.joint}: {reading.reason}")
        if timer := values.get(f"{bus.config.name} latency timer"):
            level = max(level, DiagnosticStatus.WARN)
            texts.append(f"{bus.config.name}: {timer}")
    state = robot.state[0].value
    return level, "; ".join(texts) or state, values


def _bus_values(bus: ServoBus) -> dict[str, object]:
    name, times = bus.config.name, bus.times
    values: dict[str, object] = {
        f"{name} state": bus.state.value,
        f"{name} port": f"{bus.config.port_name} at {bus.config.baud_rate} bit/s",
        f"{name} cycle": f"{times.rate_hz:.1f} Hz, {times.mean_ms:.2f} ms, longest {times.longest_ms:.2f} ms",
        f"{name} read": bus.read_kind,
        f"{name} damaged packets": bus.rejected,
        f"{name} connects": bus.connects,
    }
    timer = latency_timer_ms(bus.config.port_name)
    if timer is not None and timer[0] > 1:
        values[f"{name} latency timer"] = (
            f"the adapter holds bytes back for {timer[0]} ms; to fix it: {timer[1]}"
        )
    return values


def _joint_text(reading: JointReading, now: float) -> str:
    age = now - reading.heard if reading.heard > -inf else inf
    asked = reading.answers + reading.timeouts + reading.damaged
    bad = reading.timeouts + reading.damaged
    parts = [
        f"{reading.model}, {reading.mode}, {_torque_text(reading)}",
        f"{reading.voltage:.1f} V, {reading.temperature:.0f} degC" if isfinite(reading.voltage) else "",
        f"heard {age:.2f} s ago" if age < inf else "never heard",
        f"{bad} of {asked} answers missing ({reading.damaged} damaged)" if bad else "",
        reading.reason,
    ]
    return "; ".join(part for part in parts if part)


def _torque_text(reading: JointReading) -> str:
    if reading.torque:
        return "may be driven" if reading.silent else "driven"
    return "limp" if reading.heard > -inf else "torque not known"


def with_doubts(told: str, readings: Iterable[JointReading]) -> str:
    """``told``, and the joints of which nobody knows whether they are limp."""
    names = [reading.joint for reading in readings if reading.silent and reading.torque]
    doubts = f"MAY STILL BE DRIVEN, does not answer: {', '.join(names)}" if names else ""
    return "; ".join(text for text in (told, doubts) if text)
