# SPDX-License-Identifier: Apache-2.0
"""What the feet feel, as wrenches at the origin of each foot's frame."""

import math
from collections.abc import Iterator

from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from std_msgs.msg import Header

from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.simspark.convert import forward_left_up
from embodiment_bridge.protocols.simspark.events import Force, Percept
from embodiment_bridge.protocols.simspark.feet import SENSORS


class Forces:
    """Remembers which feet were touched: one that is not any more is told once, with a wrench of nothing."""

    def __init__(self, prefix: str) -> None:
        self._frames = {name: prefix + frame for name, frame in SENSORS.items()}
        self._touched: set[str] = set()

    def messages(self, percept: Percept, stamp: Stamp) -> Iterator[tuple[str, WrenchStamped]]:
        """(topic, message) of each foot that has news."""
        felt = {force.name: force for force in percept.forces if force.name in SENSORS}
        for name in sorted(self._touched | set(felt)):
            header = Header(stamp=stamp, frame_id=self._frames[name])
            yield f"force/{name}", WrenchStamped(header=header, wrench=_wrench(felt.get(name)))
        self._touched = set(felt)


def _wrench(force: Force | None) -> Wrench:
    """The force, and the torque of its acting at a point beside the origin."""
    if force is None or not math.isfinite(sum(force.point_m) + sum(force.force_n)):
        return Wrench()
    x, y, z = forward_left_up(*force.point_m)
    fx, fy, fz = forward_left_up(*force.force_n)
    return Wrench(
        force=Vector3(x=fx, y=fy, z=fz),
        torque=Vector3(x=y * fz - z * fy, y=z * fx - x * fz, z=x * fy - y * fx),
    )
