# SPDX-License-Identifier: Apache-2.0
"""Publishes the state of a soccer model, its markers as bytes in which only poses change.

Called on the session's thread.
"""

import re
import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.serialization import serialize_message
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.msg import EntityArray, Foul, GameState, SceneGraph, SoccerField
from embodiment_bridge.nodes.base.messages import Message, TransformMessages, nanoseconds
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.protocols.soccer_monitor import messages
from embodiment_bridge.protocols.soccer_monitor.marker_messages import (
    NameMarkers,
    SceneMarkers,
    field_markers,
    fresh_start,
)
from embodiment_bridge.protocols.soccer_monitor.messages import ObjectMessages, Thing, Things, scene_graph
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState
from embodiment_bridge.urdf import LinkTransform

# Many markers that are serialised once, because only their poses change.
#
# Serialising a Marker takes 12 us, and a full soccer game has 500 of them, ten times a second. So the message stays
# as bytes, and new stamps and poses are written into them.

Array = Any

# Byte patterns that mark the places of stamps and poses; texts do not contain them. Alignment gaps have arbitrary
# bytes, perhaps ends of a pattern; so its first byte differs from the rest, and it is never found too early.
_STAMP: Final = b"\xfe" + b"\xfb" * 7
_POSE: Final = b"\xfd" + b"\xfc" * 55
_STAMP_FORMAT: Final = "=iI"  # s, ns, in the byte order of the machine


class PackedMarkers:
    """Represents a MarkerArray of ``markers``, whose stamps and poses are overwritten.

    The places of these in the bytes are found by serialising patterns. The code so relies on one property of the
    encoding: numbers have the byte order of the machine.
    """

    def __init__(self, markers: Sequence[Marker]) -> None:
        seconds, nanoseconds = struct.unpack(_STAMP_FORMAT, _STAMP)
        pose = struct.unpack("=7d", _POSE)
        for marker in markers:
            marker.header.stamp = Time(sec=seconds, nanosec=nanoseconds)
            place, turn = marker.pose.position, marker.pose.orientation
            place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w = pose
        data = serialize_message(MarkerArray(markers=list(markers)))
        self._stamps = _places(data, _STAMP)
        self._poses = _places(data, _POSE)
        self._data = np.frombuffer(data, np.uint8).copy()

    def pack(self, stamp: Time, rows: Array) -> bytes:
        """Return the message at ``stamp``.

        ``rows``: (n, 7) place, m, and unit quaternion x, y, z, w of each marker.
        """
        self._data[self._stamps] = np.frombuffer(
            struct.pack(_STAMP_FORMAT, stamp.sec, stamp.nanosec), np.uint8
        )
        self._data[self._poses] = np.ascontiguousarray(rows, dtype=np.float64).view(np.uint8)
        return self._data.tobytes()


def _places(data: bytes, pattern: bytes) -> Array:
    """Return the indices of the bytes of each occurrence of the pattern: (n, length of the pattern)."""
    begins = [found.start() for found in re.finditer(re.escape(pattern), data)]
    return np.array(begins, dtype=np.int64).reshape(-1, 1) + np.arange(len(pattern))


# Publishes `markers` of a soccer scene while there are subscribers: all once a second, else what has moved.

PERIOD: Final = 100_000_000  # ns between drawings
ALL: Final = 1_000_000_000  # ns between drawings of everything, for late subscribers
FEW: Final = 50  # markers that are serialised one by one


class SceneMarkerPublisher:
    """Draws one scene; call it on the session's thread."""

    def __init__(self, node: Node, model: MonitorModel, frame: str, mesh_folder: str) -> None:
        self._node = node
        self._model = model
        self._frame = frame
        self._publisher = node.create_publisher(MarkerArray, "markers", profile("state"))
        self._markers = SceneMarkers(frame, mesh_folder)
        self._names = NameMarkers(frame)
        self._packed = PackedMarkers([])
        self._shown: Any = np.empty(0)  # the numbers of the markers in it
        self._built = -1
        self._last = self._last_all = -ALL

    def publish(self, things: list[Thing], stamp: Time) -> None:
        """Draw, if it is time and there are subscribers."""
        now = nanoseconds(stamp)
        if abs(now - self._last) < PERIOD or not self._publisher.get_subscription_count():
            return
        self._last = now
        model = self._model
        if self._built != model.graph.structure:
            self._built = model.graph.structure
            self._markers.build(model.graph, model.objects)
            self._shown = np.empty(0)
            self._publisher.publish(fresh_start(stamp, self._frame))
            self._last_all = -ALL
        moved = self._markers.look(model.graph)
        markers = self._names.draw(things, stamp)
        if abs(now - self._last_all) >= ALL:
            self._last_all = now
            moved = self._somewhere()
            markers += field_markers(model.field, stamp, self._frame)
        if len(moved) > FEW:
            self._publish_packed(stamp)
        else:
            markers += self._markers.messages(moved, stamp)
        if markers:
            self._publisher.publish(MarkerArray(markers=markers))

    def _publish_packed(self, stamp: Time) -> None:
        """Publish all markers that have a place; sending those that did not move costs less than finding them."""
        shown = self._somewhere()
        if not np.array_equal(shown, self._shown):
            self._shown = shown
            self._packed = PackedMarkers(self._markers.messages(shown, stamp))
        self._publisher.publish(self._packed.pack(stamp, self._markers.rows[shown]))

    def _somewhere(self) -> Any:
        return np.flatnonzero(np.isfinite(self._markers.rows[:, 0]))


OUTPUTS: Final = {
    "scene_graph": (SceneGraph, "latched"),
    "field": (SoccerField, "latched"),
    "game_state": (GameState, "latched"),
    "fouls": (Foul, "events"),
    "entities": (EntityArray, "sensor"),
}
MAX_POSES: Final = 64  # topics of players; a game has 22


class MonitorPublishers:
    """Publishes one model after each message. Messages without subscribers are not made, except on latched topics."""

    def __init__(
        self, node: Node, model: MonitorModel, *, frame_prefix: str, mesh_folder: str, publish_tf: bool
    ) -> None:
        self._node = node
        self._model = model
        self._map = frame_prefix + "map"
        self._things = Things(model.game)
        self._objects = ObjectMessages(self._map)
        self._out = {name: self._publisher(kind, name, role) for name, (kind, role) in OUTPUTS.items()}
        self._poses: dict[str, Publisher] = {}
        self._tf = node.create_publisher(TFMessage, "/tf", profile("events")) if publish_tf else None
        self._transforms = TransformMessages(frame_prefix)
        self._markers = SceneMarkerPublisher(node, model, self._map, mesh_folder)
        self._told_structure = 0
        self._told_field: object = None
        self._told_game: object = None

    def publish(self, event: MonitorState, stamp: Time) -> None:
        """Publish an event; the model has been updated with it."""
        model = self._model
        self._publish_game(event, stamp)
        if not model.in_step or event.scene is None:
            return
        things = self._things.look(model.graph, model.objects, model.field.get("ball_radius"))
        self._publish_things(things, stamp)
        if event.scene.full and model.graph.structure != self._told_structure:
            self._told_structure = model.graph.structure
            self._out["scene_graph"].publish(scene_graph(model.graph, model.time_s, stamp, self._map))
        self._markers.publish(things, stamp)

    def _publish_game(self, event: MonitorState, stamp: Time) -> None:
        game = self._model.game
        if self._model.field is not self._told_field:
            self._told_field = self._model.field
            message = messages.soccer_field(self._model.field, game.play_modes, stamp, self._map)
            self._out["field"].publish(message)
        if event.game is None:
            return
        told = messages.news(game)
        if told != self._told_game:
            self._told_game = told
            self._out["game_state"].publish(messages.game_state(game, stamp))
        for foul in event.game.fouls:
            self._out["fouls"].publish(messages.foul(game.foul(foul), stamp))

    def _publish_things(self, things: list[Thing], stamp: Time) -> None:
        if self._wanted(self._out["entities"]):
            self._out["entities"].publish(self._objects.entities(things, stamp))
        for thing in things:
            publisher = self._pose_publisher(thing)
            if publisher is not None and self._wanted(publisher):
                publisher.publish(self._objects.pose(thing, stamp))
        if self._tf is not None and things and self._wanted(self._tf):
            transforms = [LinkTransform("map", t.name, t.position, t.orientation) for t in things]
            self._tf.publish(self._transforms.make(transforms, stamp))

    def _pose_publisher(self, thing: Thing) -> Publisher | None:
        """Return the topic of a player, which is created when the player is first seen."""
        found = self._poses.get(thing.name)
        if found is None and len(self._poses) < MAX_POSES:
            topic = "ball/pose" if thing.kind == "ball" else f"players/{thing.name}/pose"
            found = self._poses[thing.name] = self._publisher(PoseStamped, topic, "sensor")
        return found

    def _publisher(self, kind: type[Message], topic: str, role: str) -> Publisher:
        if topic in OUTPUTS:
            return self._node.create_publisher(kind, topic, profile(role))
        # no overrides: parameters are declared by the node's own thread
        return self._node.create_publisher(kind, topic, profile(role), qos_overriding_options=None)

    @staticmethod
    def _wanted(publisher: Publisher) -> bool:
        return bool(publisher.get_subscription_count())
