# SPDX-License-Identifier: Apache-2.0
"""A first ``<ros2_control>`` for a description that has none: each joint a servo, with ids from 1 on."""

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import quoteattr

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import Joint, JointType

PINION_PER_M: Final = 100  # rad of a servo per m of a sliding joint: a pinion of 10 mm
END: Final = "</robot>"
HEAD: Final = """
  <!-- Written by `embodiment_bridge new-body`: put the port, ids and models of your servos. docs/dynamixel.md has
       what else can be said, such as transmissions for gears and for joints that turn the other way. -->
  <ros2_control name="servos" type="system">
    <hardware>
      <plugin>embodiment_bridge/DynamixelBus</plugin>
      <param name="port_name">/dev/ttyUSB0</param>
      <param name="baud_rate">1000000</param>
    </hardware>
"""
SLIDE: Final = """\
    <transmission name={transmission}>
      <plugin>transmission_interface/SimpleTransmission</plugin>
      <actuator name={actuator} role="actuator1"/>
      <!-- rad of the servo per m of the joint: a pinion of 10 mm -->
      <joint name={joint} role="joint1"><mechanical_reduction>{per_m}</mechanical_reduction></joint>
    </transmission>
"""


def with_servos(urdf: str, joints: Sequence[Joint]) -> str:
    """The text of a description with a servo for each of ``joints``.

    Raises:
        ConfigError: the text does not end with ``</robot>``.
    """
    before, end, after = urdf.rpartition(END)
    if not end or after.strip():
        raise ConfigError(f"the description does not end with {END}, so that servos cannot be added to it")
    block = HEAD
    for id, joint in enumerate(joints, 1):
        block += f'    <joint name={quoteattr(joint.name)}><param name="id">{id}</param></joint>\n'
    for joint in joints:
        if joint.type is JointType.PRISMATIC:
            block += SLIDE.format(
                transmission=quoteattr(f"{joint.name}_transmission"),
                actuator=quoteattr(f"{joint.name}_servo"),
                joint=quoteattr(joint.name),
                per_m=PINION_PER_M,
            )
    return f"{before.rstrip()}\n{block}  </ros2_control>\n{END}\n"
