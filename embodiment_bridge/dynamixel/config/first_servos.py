# SPDX-License-Identifier: Apache-2.0
"""Writes a first ``<ros2_control>`` into a robot description that names no servos."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import quoteattr

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import Joint, JointType

PINION_PER_M: Final = 100  # rad of a servo per m of a sliding joint: a pinion of 10 mm
END: Final = re.compile(r"</robot\s*>(\s*<!--((?!-->).)*-->)*\s*\Z", re.DOTALL)
FIRST_BLOCK: Final = """
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


def with_servos(urdf: str, joints: Sequence[Joint], reductions: Mapping[str, float]) -> str:
    """Return a description with a first ``<ros2_control>``: a servo for each of ``joints``, with ids from 1 on.

    reductions: by joint, turns of the servo per turn of the joint (rad per m), of joints that have gears.

    Raises:
        ConfigError: the text does not end with ``</robot>``.
    """
    end = END.search(urdf)
    if end is None:
        raise ConfigError("the description does not end with </robot>, so that servos cannot be added to it")
    block = FIRST_BLOCK
    for id, joint in enumerate(joints, 1):
        entries = f'<param name="id">{id}</param>'
        if joint.name in reductions:
            entries += f'<param name="reduction">{reductions[joint.name]:.9g}</param>'
        block += f"    <joint name={quoteattr(joint.name)}>{entries}</joint>\n"
    for joint in joints:
        if joint.type is JointType.PRISMATIC and joint.name not in reductions:
            block += SLIDE.format(
                transmission=quoteattr(f"{joint.name}_transmission"),
                actuator=quoteattr(f"{joint.name}_servo"),
                joint=quoteattr(joint.name),
                per_m=PINION_PER_M,
            )
    return f"{urdf[: end.start()].rstrip()}\n{block}  </ros2_control>\n{urdf[end.start() :].rstrip()}\n"
