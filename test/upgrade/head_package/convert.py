# SPDX-License-Identifier: Apache-2.0
"""Between the head's units, signs and names and those of ROS.

| wire | ROS |
|---|---|
| ``pan``, degrees, positive to the left | joint ``head_pan``, rad, positive to the left (about z, which is up) |
| ``tilt``, degrees, positive up | joint ``head_tilt``, rad, positive **down** (about y, which is left: REP-103) |
"""

import math
from array import array
from collections.abc import Mapping
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from embodiment_bridge.body import BodyState, JointTargets
from embodiment_bridge.description import BodyDescription
from embodiment_bridge.errors import ConfigError
from head_package.events import Greet, Joints, SetJoints
from embodiment_bridge.units import DEG_PER_RAD, RAD_PER_DEG

JOINTS = ("head_pan", "head_tilt")  # the order of the body file, and so of states and targets
NOT_SENSED = (math.nan, math.nan)  # the head tells no velocities


class Converter:
    """One head. ``parameters``: those of the room and of the node; ``body``: its description.

    Raises:
        ConfigError: the body has other joints than the head.
    """

    def __init__(self, parameters: Mapping[str, Any], body: BodyDescription) -> None:
        self._client = str(parameters["client"])
        found = tuple(joint.name for joint in body.joints)
        if found != JOINTS:
            raise ConfigError(f"body {body.name!r} has the joints {found}; a dummy head has {JOINTS}")

    def codec_options(self) -> dict[str, Any]:
        """See ``contract.Converter``: the codec needs to know nothing."""
        return {}

    def remarks(self) -> list[str]:
        """See ``contract.Converter``: there is nothing that could be missing."""
        return []

    def greet(self) -> list[Any]:
        """See ``contract.Converter``."""
        return [Greet(self._client)]

    def body_state(self, event: Any) -> BodyState | None:
        """See ``contract.Converter``: every ``Joints`` says how the body is. The first one completes the handshake."""
        if not isinstance(event, Joints):
            return None
        position = (event.pan_deg * RAD_PER_DEG, -event.tilt_deg * RAD_PER_DEG)
        return BodyState(time=event.time_s, position=position, velocity=NOT_SENSED)

    def answer(self, event: Any, targets: JointTargets | None) -> list[Any]:
        """See ``contract.Converter``: one command per percept. The head has position servos: it takes no gains."""
        if targets is None:
            return []
        pan, tilt = targets.position
        return [SetJoints(pan * DEG_PER_RAD, -tilt * DEG_PER_RAD)]

    def messages(self, event: Any, state: BodyState | None, stamp: Any) -> list[tuple[str, Any]]:
        """See ``contract.Converter``: what is not sensed stays empty in the message."""
        if state is None:
            return []
        message = JointState(
            header=Header(stamp=stamp), name=list(JOINTS), position=array("d", state.position)
        )
        return [("joint_states", message)]
