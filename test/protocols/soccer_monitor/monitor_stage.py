# SPDX-License-Identifier: Apache-2.0
"""What the tests of the soccer monitor have in common: recordings and small graphs."""

from pathlib import Path
from typing import Any

from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState
from embodiment_bridge.wire.framing import Framer, frame

DATA = Path(__file__).parents[2] / "data"
SHORT = {
    "simspark_monitor": DATA / "simspark_monitor/short_monitor.bin",
    "rcsssmj_monitor": DATA / "rcsssmj_monitor/short_monitor_rsmp.bin",
}
UNIT = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"


def slt(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> str:
    return f"(SLT 1 0 0 0 0 1 0 0 0 0 1 0 {x} {y} {z} 1)"


def decode(protocol: str, *texts: str) -> list[Any]:
    """The events of frames with these texts."""
    codec = registry.codec(protocol)
    return [event for text in texts for event in codec.feed(frame(text.encode()))]


def simspark(graph: str, kind: str = "RSG", game: str = "(time 0)") -> MonitorState:
    (event,) = decode("simspark_monitor", f"({game})({kind} 0 1)({graph})")
    return event


def rsmp(graph: str, kind: str = "full", game: str = "(time 0.0)") -> MonitorState:
    (event,) = decode("rcsssmj_monitor", f"((RSMP 1 0)((gt 1 0)1.00)((sg 1 0){kind}{graph})((gs 1 0){game}))")
    return event


def fed(*events: Any, can_ask: bool = True) -> MonitorModel:
    model = MonitorModel(can_ask=can_ask)
    for event in events:
        model.take(event)
    return model


def payloads(path: Path) -> list[bytes]:
    return [found.payload for found in Framer().feed(path.read_bytes())]


def nao(side: str, number: int, torso: str, scale: str = "0.1") -> str:
    """A robot as rcssserver3d sends it, of body and one foot."""
    mesh = f"(nd StaticMesh (setVisible 1) (load models/naobody0.obj) (sSc {scale} {scale} {scale})"
    materials = f"(resetMaterials matNum{number} mat{side} matType0 naowhite)"
    foot = f"(nd StaticMesh (load models/rfoot.obj) (sSc 1 1 1)(resetMaterials mat{side} naowhite))"
    return (
        f"(nd TRF (SLT {UNIT})(nd TRF {torso}(nd TRF (SLT {UNIT}){mesh}{materials})))(nd TRF {slt(9)}{foot}))"
    )


BALL = (
    f"(nd TRF {slt(1, 2, 0.04)}(nd StaticMesh (load models/soccerball.obj) (sSc 0.04 0.04 0.04)"
    "(resetMaterials soccerball_rcs-soccerball.png)))"
)
