# SPDX-License-Identifier: Apache-2.0
"""The latest values of a robot's topics, kept for other threads."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import BatteryState
from std_msgs.msg import String

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.msg import BodyStatus, EntityArray, HeardMessage, LinkState, SkillList, TreeSnapshot
from embodiment_bridge.nodes.base.messages import seconds
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.watcher import LINKS, POSTURES
from embodiment_bridge.nodes.body.skill_server import skill_infos
from embodiment_bridge.robot.values import Heard, Pose, Thing

REMEMBERED: Final = 50  # things that were heard
MOST_BYTES: Final = 300_000  # of a message about things, some 2,000 of them: to read it takes up to 0.1 s


class Senses:
    """The newest of everything; ``listen`` calls a function after each change, on the thread of the graph."""

    def __init__(self, node: Node) -> None:
        self.body = ""
        self.skills: dict[str, SkillInfo] = {}
        self.pose: Pose | None = None
        self.posture = "unknown"
        self.reason = ""
        self.link = "not seen"
        self.battery: float | None = None  # 0 to 1
        self.description = ""
        self.run_id, self.run_state = "", ""  # of the tree's run; PAUSED without a run: nothing begins
        self.heard: tuple[Heard, ...] = ()
        self.told: set[str] = set()  # topics of which something came
        self.unread = 0  # bytes of ``entities`` where they are too many to be read
        self._entities = b""  # the newest message
        self._things: tuple[bytes, tuple[Thing, ...]] = (b"", ())  # and what was read of it
        self._count = 0
        self._changed = threading.Condition()
        self._listeners: list[Callable[[str], None]] = []
        self._kept: deque[Heard] = deque(maxlen=REMEMBERED)
        topics: tuple[tuple[Any, str, str, Callable[[Any], None]], ...] = (
            (SkillList, "skills", "latched", self._on_skills),
            (PoseStamped, "pose", "sensor", self._on_pose),
            (HeardMessage, "heard", "state", self._on_heard),
            (BodyStatus, "body_status", "latched", self._on_status),
            (LinkState, "link_state", "latched", self._on_link),
            (BatteryState, "battery", "state", self._on_battery),
            (String, "robot_description", "latched", self._on_description),
            (TreeSnapshot, "behavior_tree/tree", "state", self._on_tree),
        )
        for kind, topic, role, take in topics:
            node.create_subscription(kind, topic, take, profile(role))
        node.create_subscription(EntityArray, "entities", self._on_entities, profile("state"), raw=True)

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call ``listener(topic)`` after each change; returns a function that ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def wait(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait on the caller's thread until the condition holds; whether it does within ``timeout`` s."""
        with self._changed:
            return self._changed.wait_for(condition, timeout)

    def things(self) -> tuple[Thing, ...]:
        """All things that the body knows now. They are read by who asks, so that many keep nothing else waiting."""
        data = self._entities
        read, things = self._things
        if read is not data:
            things = _things_of(data) if data else ()
            self._things = data, things
        return things

    def names(self) -> set[str]:
        """Ids and kinds of all things."""
        return {name for one in self.things() for name in (one.id, one.kind) if name}

    def find(self, name: str) -> Thing | None:
        """The thing of this id, else the nearest of this kind, a visible one before a remembered one."""
        things = [thing for thing in self.things() if thing.is_named(name)]
        here = self.pose or Pose(0.0, 0.0, 0.0)
        things.sort(key=lambda thing: (thing.id != name, not thing.visible, here.distance(thing.x, thing.y)))
        return things[0] if things else None

    def _tell(self, topic: str) -> None:
        with self._changed:
            self.told.add(topic)
            self._changed.notify_all()
        for listener in tuple(self._listeners):
            listener(topic)

    def _on_skills(self, message: SkillList) -> None:
        self.body = message.body
        self.skills = skill_infos(message)
        self._tell("skills")

    def _on_pose(self, message: PoseStamped) -> None:
        place, turn = message.pose.position, message.pose.orientation
        self.pose = Pose(place.x, place.y, rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2])
        self._tell("pose")

    def _on_entities(self, data: bytes) -> None:
        self.unread = len(data) if len(data) > MOST_BYTES else 0
        self._entities = b"" if self.unread else data
        self._tell("entities")

    def _on_heard(self, message: HeardMessage) -> None:
        self._count += 1
        self._kept.append(Heard(self._count, message.sender, message.text))
        self.heard = tuple(self._kept)
        self._tell("heard")

    def _on_status(self, message: BodyStatus) -> None:
        self.posture, self.reason = POSTURES.get(message.posture, "unknown"), message.reason
        self._tell("body_status")

    def _on_link(self, message: LinkState) -> None:
        self.link = LINKS.get(message.state, "unknown")
        self._tell("link_state")

    def _on_battery(self, message: BatteryState) -> None:
        self.battery = float(message.percentage)
        self._tell("battery")

    def _on_description(self, message: String) -> None:
        self.description = message.data
        self._tell("robot_description")

    def _on_tree(self, message: TreeSnapshot) -> None:
        runs = message.state != "ENDED" and bool(message.nodes)
        paused = message.state == "PAUSED" and not message.run_id
        self.run_id = message.run_id if runs else ""
        over = message.state == "ENDED" and not message.run_id  # a pause without a run
        self.run_state = message.state if runs or paused or over else ""
        self._tell("tree")


def _things_of(data: bytes) -> tuple[Thing, ...]:
    message: EntityArray = deserialize_message(data, EntityArray)
    stamp = seconds(message.header.stamp)
    return tuple(
        Thing(
            one.id,
            one.kind,
            one.pose.position.x,
            one.pose.position.y,
            one.pose.position.z,
            one.visible,
            max(stamp - seconds(one.seen), 0.0),
            {item.key: item.value for item in one.properties},
        )
        for one in message.entities
    )
