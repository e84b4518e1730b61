# SPDX-License-Identifier: Apache-2.0
"""Publishes the state of a soccer model. Called on the session's thread."""

from typing import Final

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.publisher import Publisher
from tf2_msgs.msg import TFMessage

from embodiment_bridge.msg import EntityArray, Foul, GameState, SceneGraph, SoccerField
from embodiment_bridge.nodes.base.frames import TransformMessages
from embodiment_bridge.nodes.base.message_types import Message
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.soccer.scene_marker_publisher import SceneMarkerPublisher
from embodiment_bridge.protocols.soccer_monitor import messages
from embodiment_bridge.protocols.soccer_monitor.messages import ObjectMessages, Thing, Things, scene_graph
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState
from embodiment_bridge.urdf import LinkTransform

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
        self._prefix = frame_prefix
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

    def destroy(self) -> None:
        """Remove the topics from the graph."""
        self._markers.destroy()
        for publisher in (*self._out.values(), *self._poses.values(), self._tf):
            if publisher is not None:
                self._node.destroy_publisher(publisher)

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
        """The topic of a player, which is created when the player is first seen."""
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
