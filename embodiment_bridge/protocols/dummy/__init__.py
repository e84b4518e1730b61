# SPDX-License-Identifier: Apache-2.0
"""The protocol of the tutorial: a made-up pan-tilt head that speaks lines of text over TCP. Copy it to add yours.

The conversation, with ``>`` for what we send (docs/dummy.md has the whole protocol):

    > hello bridge
      hello head
      joint pan 12.5 tilt -3.0 t 4.02
    > set pan 10.000 tilt 0.000

There are four files. This one describes the protocol as data, ``events.py`` lists what can be said, ``codec.py`` reads
and writes it as bytes, and ``convert.py`` turns it into the units, signs and names of ROS.
"""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import Output, ProtocolSpec

# Codec and converter are named and not imported, so that `embodiment_bridge decode dummy` works without ROS.
SPEC = ProtocolSpec(
    name="dummy",
    summary="made-up pan-tilt head of the tutorial, lines of text over TCP",
    codec="embodiment_bridge.protocols.dummy.codec:HeadCodec",
    converter="embodiment_bridge.protocols.dummy.convert:HeadConverter",
    commands="embodiment_bridge.protocols.dummy.events:COMMANDS",
    parameters=(
        Parameter("port", 7810, "TCP port of the head.", 1, 65535),
        Parameter("client", "bridge", "Our name in the first line, without blanks."),
    ),
    outputs=(Output("joint_states", "sensor_msgs.msg:JointState", "sensor", of_state=True),),
)
