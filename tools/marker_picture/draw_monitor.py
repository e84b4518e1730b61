# SPDX-License-Identifier: Apache-2.0
"""Draws what the soccer monitor shows of a recording.

    draw_monitor.py PROTOCOL RECORDING OUT.png [MESSAGE]

    .venv/bin/python tools/marker_picture/draw_monitor.py simspark_monitor recording.bin picture.png 300

MESSAGE counts from 0 and defaults to the last. Below the field each player is drawn once more, twenty times as large.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from top_view import TopView

from embodiment_bridge.link.transports.monitor_log import MonitorLog
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor.marker_messages import SceneMarkers, field_markers
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState

WIDTH = 1000  # pixels
MARGIN = 2.5  # m
DETAIL = 1.1  # m of the world in each detail
DETAILS = 4


def model_at(protocol: str, recording: Path, message: int | None) -> MonitorModel:
    """What the monitor knows after a message of a recording or a log."""
    codec, model, log = registry.codec(protocol), MonitorModel(can_ask=False), MonitorLog(recording)
    last = len(log.entries) - 1 if message is None else message
    for index in range(last + 1):
        data = log.message(index)
        for event in codec.feed(len(data).to_bytes(4, "big") + data):
            if isinstance(event, MonitorState):
                model.take(event)
    return model


def markers_of(model: MonitorModel) -> list[Any]:
    """All that is drawn of it."""
    drawing = SceneMarkers("map")
    drawing.build(model.graph, model.objects)
    return [*field_markers(model.field, Time(), "map"), *drawing.all(model.graph, Time())]


def picture(model: MonitorModel) -> TopView:
    """The field from above, and the first players from near."""
    markers = markers_of(model)
    length, width = model.field.get("length") + 2 * MARGIN, model.field.get("width") + 2 * MARGIN
    scale = WIDTH / length
    view = TopView((WIDTH, int(width * scale)), scale)
    view.draw(markers)
    side = WIDTH // DETAILS
    near = []
    for player in model.objects.players[:DETAILS]:
        place = model.graph.worlds()[player.node][3]
        detail = TopView((side, side), side / DETAIL, (float(place[0]), float(place[1])))
        detail.draw(markers)
        detail.pixels[:2] = detail.pixels[-2:] = detail.pixels[:, :2] = detail.pixels[:, -2:] = 0.9
        near.append(detail.pixels)
    if near:
        near += [np.full((side, side, 3), 0.12)] * (DETAILS - len(near))
        view.pixels = np.vstack([view.pixels, np.hstack(near)])
    return view


def main() -> int:
    """Write the picture."""
    protocol, recording, out, *message = sys.argv[1:]
    model = model_at(protocol, Path(recording), int(message[0]) if message else None)
    picture(model).write(Path(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
