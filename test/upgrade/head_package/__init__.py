# SPDX-License-Identifier: Apache-2.0
"""The tutorial room: a made-up pan-tilt head that speaks lines of text over TCP. Copy it to add a protocol.

The conversation, with ``>`` for what we send (docs/dummy.md has the whole protocol):

    > hello bridge
      hello head
      joint pan 12.5 tilt -3.0 t 4.02
    > set pan 10.000 tilt 0.000

Four files: this one says what there is, ``events.py`` what can be said, ``codec.py`` how it looks on the wire, and
``convert.py`` what it means in ROS.
"""

from embodiment_bridge.protocols.contract import Output, Parameter, Room

# Codec and converter are named, not imported: `embodiment_bridge decode dummy` works where there is no ROS.
ROOM = Room(
    name="upgrade_head",
    summary="made-up pan-tilt head of the tutorial, lines of text over TCP",
    codec="head_package.codec:Codec",
    converter="head_package.convert:Converter",
    commands="head_package.events:COMMANDS",
    parameters=(
        Parameter("port", 7810, "TCP port of the head.", 1, 65535),
        Parameter("client", "bridge", "Name that we greet the head with, without blanks."),
    ),
    outputs=(Output("joint_states", "sensor_msgs.msg:JointState", "sensor"),),
)
