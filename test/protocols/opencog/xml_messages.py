# SPDX-License-Identifier: Apache-2.0
"""Messages for tests of the XML writer."""

from dataclasses import replace

from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Vector

T = "2011-08-20T10:00:00.500"
HERE = Vector(1.0, 2.0, 3.0)
SIGNAL = ev.AvatarSignal("1", T)


def blip(**changes):
    return replace(Blip(T, Entity("1", "object"), HERE), **changes)


def seed_map(**changes):
    values = {
        "global_position_x": 0,
        "global_position_y": 0,
        "global_position_offset": 10,
        "blips": (blip(),),
    }
    return ev.MapInfo(**values | changes)
