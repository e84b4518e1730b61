# SPDX-License-Identifier: Apache-2.0
"""What a body perceives, made for tests of what an OAC is told of it."""

from math import cos, sin

from diagnostic_msgs.msg import KeyValue
from embodiment_bridge.msg import Entity, EntityArray
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from std_msgs.msg import Header

from embodiment_bridge.protocols.opencog.world.settings import Settings
from embodiment_bridge.protocols.opencog.xml.xml_documents import write
from embodiment_bridge.standins.oac.intake import validate

STAMP = "2011-08-20T10:00:00.500"
ME = Settings("fido", agent_name="Fido", owner_id="suzy", owner_name="Suzy", aliases=frozenset(("/robot1",)))
FINAL = Settings("fido", dialect="final")


def pose(x=0.0, y=0.0, yaw=0.0, z=0.0):
    turn = Quaternion(x=0.0, y=0.0, z=sin(yaw / 2), w=cos(yaw / 2))
    return Pose(position=Point(x=x, y=y, z=z), orientation=turn)


def stamped(*args):
    return PoseStamped(header=Header(frame_id="map"), pose=pose(*args))


def thing(id_="ball", kind="ball", where=None, visible=True, size=(0.2, 0.2, 0.2), **properties):
    pairs = [KeyValue(key=key, value=value) for key, value in properties.items()]
    extent = Vector3(x=size[0], y=size[1], z=size[2])
    return Entity(id=id_, kind=kind, pose=where or pose(), visible=visible, size=extent, properties=pairs)


def array(*things):
    return EntityArray(header=Header(frame_id="map"), entities=list(things))


def one(messages):
    (message,) = messages
    return message


def told(perceptor, array_, now=0.0, at=None):
    """The blips of the next message, by id."""
    messages = perceptor.entities(array_, at, STAMP, now)
    for message in messages:
        for dialect in {perceptor.settings.dialect}:
            assert validate(write([message], dialect), dialect) == []
    return {blip.entity.id: blip for message in messages for blip in message.blips}
