# SPDX-License-Identifier: Apache-2.0
"""Between the head's units, signs and names and those of ROS.

| wire | ROS |
|---|---|
| ``pan``, degrees, positive to the left | joint ``head_pan``, rad, positive to the left (about z, which is up) |
| ``tilt``, degrees, positive up | joint ``head_tilt``, rad, positive **down** (about y, which is left: REP-103) |
"""

import math
from array import array
from collections.abc import Sequence

from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from typing_extensions import override

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.core.rotation import DEG_PER_RAD, RAD_PER_DEG
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp
from embodiment_bridge.protocols.dummy.events import Command, Event, Greet, Joints, SetJoints

JOINTS = ("head_pan", "head_tilt")  # the order of the body file, and so of states and targets
NOT_SENSED = (math.nan, math.nan)  # the head tells no velocities


class HeadConverter(Converter[Event, Command]):
    """One head. ``parameters``: those of the protocol and of the node; ``body``: its description.

    Raises:
        ConfigError: the body has other joints than the head.
    """

    def __init__(self, parameters: ParameterValues, body: BodyDescription) -> None:
        self._client = str(parameters["client"])
        found = tuple(joint.name for joint in body.joints)
        if found != JOINTS:
            raise ConfigError(f"body {body.name!r} has the joints {found}; a dummy head has {JOINTS}")

    @override
    def handshake(self) -> Sequence[Command]:
        return [Greet(self._client)]

    @override
    def body_state(self, event: Event) -> BodyState | None:
        if not isinstance(event, Joints):
            return None
        position = (event.pan_deg * RAD_PER_DEG, -event.tilt_deg * RAD_PER_DEG)
        return BodyState(time=event.time_s, position=position, velocity=NOT_SENSED)

    @override
    def answer(self, cycle: Cycle[Event]) -> Sequence[Command]:
        if cycle.targets is None:
            return []
        pan, tilt = cycle.targets.position  # the head has servos of its own, so it takes no gains
        return [SetJoints(pan * DEG_PER_RAD, -tilt * DEG_PER_RAD)]

    @override
    def messages(self, cycle: Cycle[Event], stamp: Stamp) -> Messages:
        if cycle.state is not None:
            position = array("d", cycle.state.position)  # velocity stays empty: the head does not sense it
            yield "joint_states", JointState(header=Header(stamp=stamp), name=list(JOINTS), position=position)
