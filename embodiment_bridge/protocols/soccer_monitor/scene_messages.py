# SPDX-License-Identifier: Apache-2.0
"""A whole scene graph as a message."""

import math
from array import array
from typing import Final

from std_msgs.msg import Header

from embodiment_bridge.msg import SceneGraph as SceneGraphMessage
from embodiment_bridge.msg import SceneNode
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail
from embodiment_bridge.protocols.soccer_monitor.scene.graph import NO_DETAIL, SceneGraph

_KINDS: Final = {
    "TRF": SceneNode.TRANSFORM,
    "StaticMesh": SceneNode.MESH,
    "SMN": SceneNode.MESH,
    "Light": SceneNode.LIGHT,
    "DSC": SceneNode.OBJECT,
}


def scene_graph(graph: SceneGraph, server_time: float | None, stamp: Stamp, frame: str) -> SceneGraphMessage:
    """All nodes of a scene in ``frame``; ``server_time`` s."""
    return SceneGraphMessage(
        header=Header(stamp=stamp, frame_id=frame),
        server_time=math.nan if server_time is None else server_time,
        nodes=[_node(graph, index) for index in range(len(graph))],
    )


def _node(graph: SceneGraph, index: int) -> SceneNode:
    detail = graph.details.get(index, NO_DETAIL)
    matrix = graph.matrix(index)
    kind = SceneNode.TRANSFORM if matrix else _KINDS.get(detail.type, SceneNode.GROUP)
    node = SceneNode(
        kind=SceneNode.MESH if detail.mesh else kind,
        type=detail.type or ("TRF" if matrix else "BN"),
        parent=graph.parents[index],
        matrix=array("d", matrix),
        visible=detail.visible is not False,
        transparent=bool(detail.transparent),
    )
    if detail is not NO_DETAIL:
        _describe(node, detail)
    return node


def _describe(node: SceneNode, detail: Detail) -> None:
    node.mesh = detail.mesh or ""
    node.parameters = array("d", detail.parameters or ())
    node.scale.x, node.scale.y, node.scale.z = detail.scale or (1.0, 1.0, 1.0)
    node.materials = list(detail.materials or ())
    node.colors = [_float32(value) for value in detail.color or detail.lights or ()]
    node.words = list(detail.words or ())


def _float32(value: float) -> float:
    """A colour within what a float32 can hold; nan stays."""
    return value if math.isnan(value) else max(-3.4e38, min(value, 3.4e38))
