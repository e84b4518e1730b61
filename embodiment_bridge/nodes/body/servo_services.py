# SPDX-License-Identifier: Apache-2.0
"""The services of a robot of servos: torque, reboot, mode, calibration, registers."""

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite

from rclpy.node import Node

from embodiment_bridge.core.errors import BridgeError, CommandError, unknown
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.config.servo_config import MODES
from embodiment_bridge.nodes.base.deferred_service import Reply, deferred_service
from embodiment_bridge.srv import CalibrateJoints, RebootServos, ServoRegister, SetJointMode, SetTorque

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
        self._services = [
            deferred_service(node, SetTorque, "set_torque", self._torque),
            deferred_service(node, RebootServos, "reboot", self._reboot),
            deferred_service(node, SetJointMode, "set_mode", self._mode),
            deferred_service(node, CalibrateJoints, "calibrate", self._calibrate),
            deferred_service(node, ServoRegister, "servo_register", self._register),
        ]

    def destroy(self) -> None:
        """Remove the services from the graph."""
        for service in self._services:
            self._node.destroy_service(service)

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
