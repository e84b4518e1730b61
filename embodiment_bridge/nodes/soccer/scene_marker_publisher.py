# SPDX-License-Identifier: Apache-2.0
"""Publishes `markers` of a soccer scene while there are subscribers: all once a second, else what has moved."""

from typing import Any, Final

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.soccer.packed_markers import PackedMarkers
from embodiment_bridge.protocols.soccer_monitor.marker_messages import (
    NameMarkers,
    SceneMarkers,
    field_markers,
    fresh_start,
)
from embodiment_bridge.protocols.soccer_monitor.messages import Thing
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel

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
        now = int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
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

    def destroy(self) -> None:
        """Remove the topic from the graph."""
        self._node.destroy_publisher(self._publisher)
