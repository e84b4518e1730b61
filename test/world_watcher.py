# SPDX-License-Identifier: Apache-2.0
"""Watches a robot from outside, by its topics alone, in a context and a thread of its own.

It uses nothing of the package but its messages: a test asks it what the world shows, not what the robot says it did.
"""

import math
import re
import threading
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import rclpy
from embodiment_bridge.msg import EntityArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

LIMBS = {  # by the names of joints in the descriptions of all bodies
    "head": "head|^hj",
    "waist": "waist",
    "hand": "grip",
    "arm": "shoulder|elbow|^[lr]aj",
    "leg": "hip|knee|ankle|foot|^[lr]lj",
}
FALLEN = 0.9  # rad between the body's z axis and that of the map
NEAR = 0.1  # of a colour, each of red, green and blue within 0..1


class Placed(NamedTuple):
    """Where ``base_link`` was in ``map``: s on the watcher's clock, m, rad; tilt: of its z axis."""

    time: float
    x: float
    y: float
    yaw: float
    tilt: float


Pose = tuple[tuple[float, float, float], tuple[float, float, float, float]]  # position; quaternion x, y, z, w


class WorldWatcher:
    """What was seen of one robot since the construction, until ``close``. Times are those of the messages, s."""

    def __init__(self, namespace: str, domain: int) -> None:
        self.places: list[Placed] = []
        self.joints: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.lights: list[tuple[float, tuple[float, float, float]]] = []  # that are on
        self._things: list[tuple[float, dict[str, tuple[float, float]]]] = []  # m in ``map``, by their kinds
        self._held: list[tuple[float, frozenset[str]]] = []  # kinds of things that somebody carries
        self._links: dict[str, tuple[str, Pose]] = {}
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(
            "world_watcher", namespace=namespace, context=self._context, start_parameter_services=False
        )
        topics: tuple[tuple[Any, str, Callable[[Any], None]], ...] = (
            (TFMessage, "/tf", self._on_frames),
            (JointState, "joint_states", self._on_joints),
            (EntityArray, "entities", self._on_entities),
            (MarkerArray, "markers", self._on_markers),
        )
        for kind, topic, take in topics:
            self._node.create_subscription(kind, topic, take, QoSProfile(depth=1000))
        latched = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._node.create_subscription(TFMessage, "/tf_static", self._on_frames, latched)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="world watcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()  # the thread must not lose what it waits for
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    @property
    def now(self) -> float:
        """The time of the latest that was told of the body, s; 0 before the first."""
        told = [self.places, *list(self.joints.values())]
        return max((samples[-1][0] for samples in told if samples), default=0.0)

    # What the world showed.

    def travel(self, limb: str, since: float, until: float = math.inf) -> float:
        """The way between the outermost angles of a joint of a limb (empty: of any joint), rad; the longest."""
        mine = re.compile(LIMBS[limb] if limb else "", re.IGNORECASE)
        spans = [0.0]
        for name, samples in list(self.joints.items()):
            if mine.search(name) and (angles := [angle for _, angle in _within(samples, since, until)]):
                spans.append(max(angles) - min(angles))
        return max(spans)

    def ahead(self, since: float, until: float = math.inf) -> tuple[float, float]:
        """How far the base came backward (0 or less) and forward, m along its heading at the begin."""
        if not (places := _within(self.places, since, until)):
            return 0.0, 0.0
        first = places[0]
        ways = [
            math.cos(first.yaw) * (one.x - first.x) + math.sin(first.yaw) * (one.y - first.y)
            for one in places
        ]
        return min(ways), max(ways)

    def away(self, since: float, until: float = math.inf) -> float:
        """The longest distance of the base from where it was at the begin, m."""
        places = _within(self.places, since, until)
        return max((math.hypot(one.x - places[0].x, one.y - places[0].y) for one in places), default=0.0)

    def turned(self, since: float, until: float = math.inf) -> tuple[float, float]:
        """How far the base turned to the right (0 or less) and to the left, rad."""
        places = _within(self.places, since, until)
        angle, least, most = 0.0, 0.0, 0.0
        for before, after in pairwise(places):
            angle += math.remainder(after.yaw - before.yaw, math.tau)
            least, most = min(least, angle), max(most, angle)
        return least, most

    def showed(self, color: tuple[float, float, float], since: float, until: float = math.inf) -> bool:
        """Whether a light was on in this colour."""
        return any(
            all(abs(a - b) < NEAR for a, b in zip(seen, color, strict=True))
            for _, seen in _within(self.lights, since, until)
        )

    def fell(self, since: float) -> bool:
        """Whether it lay since then; a robot that nobody can see does not fall."""
        return any(one.tilt > FALLEN for one in _within(self.places, since, math.inf))

    def distance(self, x: float, y: float, since: float, until: float = math.inf) -> float:
        """From a place in ``map`` to where the base was nearest to it, m."""
        places = _within(self.places, since, until)
        return min((math.hypot(one.x - x, one.y - y) for one in places), default=math.inf)

    def where(self, kind: str, since: float = 0.0, until: float = math.inf) -> list[tuple[float, float]]:
        """The places of a thing of this kind, m in ``map``, as often as they were told."""
        return [places[kind] for _, places in _within(self._things, since, until) if kind in places]

    def held(self, since: float, until: float = math.inf) -> list[frozenset[str]]:
        """The kinds of things that were carried, as often as this was told."""
        return [kinds for _, kinds in _within(self._held, since, until)]

    # How it is seen.

    def _watch(self) -> None:
        while not self._closed.is_set():
            self._executor.spin_once(timeout_sec=0.1)

    def _on_frames(self, message: TFMessage) -> None:
        for link in message.transforms:
            at, turn = link.transform.translation, link.transform.rotation
            self._links[link.child_frame_id] = (
                link.header.frame_id,
                ((at.x, at.y, at.z), (turn.x, turn.y, turn.z, turn.w)),
            )
        frame, pose = "base_link", ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
        while frame in self._links:
            frame, outer = self._links[frame]
            pose = _composed(outer, pose)
        if frame == "map":
            (x, y, _), (qx, qy, qz, qw) = pose
            yaw = math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz))
            tilt = math.acos(max(-1.0, min(1.0, 1 - 2 * (qx * qx + qy * qy))))
            self.places.append(Placed(_stamp(message.transforms[0]), x, y, yaw, tilt))

    def _on_joints(self, message: JointState) -> None:
        now = _stamp(message)
        for name, angle in zip(message.name, message.position, strict=False):
            if math.isfinite(angle):
                self.joints[name].append((now, angle))

    def _on_entities(self, message: EntityArray) -> None:
        places = {one.kind: (one.pose.position.x, one.pose.position.y) for one in message.entities}
        self._things.append((_stamp(message), places))
        carried = [one for one in message.entities if any(pair.key == "owner" for pair in one.properties)]
        self._held.append((_stamp(message), frozenset(one.kind for one in carried)))

    def _on_markers(self, message: MarkerArray) -> None:
        self.lights += [
            (_stamp(one), (one.color.r, one.color.g, one.color.b))
            for one in message.markers
            if one.ns == "light"
        ]


def _stamp(message: Any) -> float:
    """When the body was so, s; the message may come much later to a machine that is busy."""
    stamp = message.header.stamp
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def _within(samples: list[Any], since: float, until: float) -> list[Any]:
    """Those of a time, of all that came one after the other."""
    time_of = itemgetter(0)
    return samples[bisect_left(samples, since, key=time_of) : bisect_right(samples, until, key=time_of)]


def _composed(outer: Pose, inner: Pose) -> Pose:
    """The pose ``inner`` of a frame whose own pose is ``outer``."""
    (ox, oy, oz), (x, y, z, w) = outer
    (px, py, pz), (a, b, c, d) = inner
    tx, ty, tz = 2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)
    place = (
        ox + px + w * tx + y * tz - z * ty,
        oy + py + w * ty + z * tx - x * tz,
        oz + pz + w * tz + x * ty - y * tx,
    )
    turn = (
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
    )
    return place, turn
