# SPDX-License-Identifier: Apache-2.0
"""Diagnoses the servo buses of a robot, and serves torque, reboot, mode, calibration and registers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf, isfinite

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from embodiment_bridge.core.errors import BridgeError, CommandError, unknown
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.port import latency_timer_ms
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.bus.servo import BusState, JointReading
from embodiment_bridge.dynamixel.config.servo_config import MODES
from embodiment_bridge.nodes.base.services import Reply, deferred_service
from embodiment_bridge.srv import CalibrateJoints, RebootServos, ServoRegister, SetJointMode, SetTorque

LEVELS = {BusState.DEGRADED: DiagnosticStatus.WARN, BusState.LOST: DiagnosticStatus.ERROR}
GOOD = {BusState.READY, BusState.ACTIVE}


def diagnose_servos(robot: ServoRobot, now: float, notes: str) -> tuple[bytes, str, Mapping[str, object]]:
    """Return level, one line, values.

    ``now``: s of the monotonic clock; ``notes``: problems of the node, or empty.
    """
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
    """Return ``told``, and the joints of which it is unknown whether they are limp."""
    names = [reading.joint for reading in readings if reading.silent and reading.torque]
    doubts = f"MAY STILL BE DRIVEN, does not answer: {', '.join(names)}" if names else ""
    return "; ".join(text for text in (told, doubts) if text)


LONGEST_LIST = 1000  # names in a request


class ServoServices:
    """Serves one robot.

    Args:
        node: with an executor.
        robot: its servos.
        refusal: says why requests are refused now; empty if they are not.
        restart: called with a reason when joints may have moved without motion knowing it.
    """

    def __init__(
        self,
        node: Node,
        robot: ServoRobot,
        refusal: Callable[[], str],
        restart: Callable[[str], None],
    ) -> None:
        self._node = node
        self._robot = robot
        self._refusal = refusal
        self._restart = restart
        deferred_service(node, SetTorque, "set_torque", self._torque)
        deferred_service(node, RebootServos, "reboot", self._reboot)
        deferred_service(node, SetJointMode, "set_mode", self._mode)
        deferred_service(node, CalibrateJoints, "calibrate", self._calibrate)
        deferred_service(node, ServoRegister, "servo_register", self._register)

    def _torque(self, request: SetTorque.Request, reply: Reply) -> None:
        after = partial(self._restart, "torque was set") if request.on else None
        self._ask(
            request.joints,
            lambda joints: requests.SetTorque(joints, on=request.on),
            reply,
            after,
            always=not request.on,  # a servo that does not answer may hear
        )

    def _reboot(self, request: RebootServos.Request, reply: Reply) -> None:
        self._ask(request.joints, requests.Reboot, reply, partial(self._restart, "servos were restarted"))

    def _mode(self, request: SetJointMode.Request, reply: Reply) -> None:
        if request.mode not in MODES:
            _refuse(reply, unknown("mode", request.mode, MODES))
            return
        self._ask(
            request.joints,
            lambda joints: requests.SetMode(joints, request.mode, force=request.force),
            reply,
            partial(self._restart, "the mode of joints was changed"),
        )

    def _register(self, request: ServoRegister.Request, reply: Reply) -> None:
        value = int(request.value) if request.write else None
        self._ask([request.joint], lambda joints: requests.Register(joints[0], request.item, value), reply)

    def _calibrate(self, request: CalibrateJoints.Request, reply: Reply) -> None:
        names, angles = list(request.joints), list(request.positions) or [0.0] * len(request.joints)
        if not names or len(set(names)) != len(names):
            _refuse(reply, "name the joints that are to be calibrated, each once")
        elif len(angles) != len(names):
            _refuse(reply, f"{len(angles)} positions for {len(names)} joints")
        elif bad := [name for name, angle in zip(names, angles, strict=True) if not isfinite(angle)]:
            _refuse(reply, f"position of joint {bad[0]!r} is not a finite number")
        else:
            wanted = dict(zip(names, angles, strict=True))
            self._ask(
                names,
                lambda joints: requests.Calibrate(
                    {joint: wanted[joint] for joint in joints}, self._robot.keep
                ),
                reply,
                partial(self._restart, "joints were calibrated"),
            )

    def _ask(
        self,
        joints: Sequence[str],
        make: Callable[[Sequence[str]], requests.BusRequest],
        reply: Reply,
        after: Callable[[], None] | None = None,
        *,
        always: bool = False,
    ) -> None:
        """Ask the buses, and then reply; before that ``after()``, if anything may have been changed.

        always: also while the servos are not there.
        """
        refusal = "" if always else self._refusal()
        if not refusal and len(joints) > LONGEST_LIST:
            refusal = f"{len(joints)} joints are more than {LONGEST_LIST}"
        if refusal:
            _refuse(reply, refusal)
            return

        made: list[requests.BusRequest] = []  # one for each bus

        def make_one(own: Sequence[str]) -> requests.BusRequest:
            made.append(make(own))
            return made[-1]

        def done(success: bool, text: str, value: int) -> None:
            then = after if any(one.touched for one in made) else None
            self._node.executor.create_task(self._finish, reply, success, text, value, then)

        try:
            self._robot.request(list(joints), make_one, done)
        except CommandError as error:
            _refuse(reply, str(error))

    def _finish(
        self, reply: Reply, success: bool, text: str, value: int, after: Callable[[], None] | None
    ) -> None:
        reply.response.success, reply.response.message = success, text
        if isinstance(reply.response, ServoRegister.Response):
            reply.response.value = value
        if after is not None:
            try:
                after()
            except BridgeError as error:
                reply.response.success, reply.response.message = False, str(error)
        reply.send()


def _refuse(reply: Reply, why: str) -> None:
    reply.response.success, reply.response.message = False, why
    reply.send()
