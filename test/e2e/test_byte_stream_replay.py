# SPDX-License-Identifier: Apache-2.0
"""A recorded byte stream as the source of a body, through the launch file: `transport:=replay recording:=...`."""

import os
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.msg import GridPercept, LinkState
from graph_stage import Stage
from sensor_msgs.msg import JointState

from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.standins.simspark.server import SimsparkServer

ROOT = Path(__file__).parents[2]
DATA = ROOT / "test/data"
HEADER = 4  # bytes before each message that tell its length


def with_times(pieces: list[bytes], target: Path, period: float) -> None:
    """A recording of these messages, ``period`` s apart."""
    target.write_bytes(b"".join(pieces))
    lines, place = [], 0
    for piece in pieces:
        lines.append(f"{len(lines) * period:.3f} {place} {len(piece)}\n")
        place += len(piece)
    target.with_suffix(".idx").write_text("".join(lines))


def messages_of(data: bytes) -> list[bytes]:
    """Each with the bytes that tell its length."""
    pieces = []
    while data:
        end = HEADER + int.from_bytes(data[:HEADER], "big")
        pieces.append(data[:end])
        data = data[end:]
    return pieces


TOPICS: dict[str, tuple[Any, str]] = {
    "joint_states": (JointState, "events"),
    "percept": (GridPercept, "events"),
    "link_state": (LinkState, "latched"),
}


class Listener:
    """What a graph of one body says."""

    def __init__(self, recording: Path | str, **arguments: str) -> None:
        arguments = {"transport": "replay", "recording": str(recording)} | arguments
        file = ROOT / "launch/bringup.launch.xml"
        self.plan = read_launch(file, arguments, find_share=lambda _: ROOT, environment=os.environ)
        self.joints: list[JointState] = []
        self.grids: list[GridPercept] = []
        self.links: list[LinkState] = []

    def until(self, condition) -> None:
        with Graph(self.plan, lambda text: None) as graph:
            stage = Stage(graph)
            told = {"joint_states": self.joints, "percept": self.grids, "link_state": self.links}
            stage.listen(TOPICS, lambda topic, message: told[topic].append(message))
            stage.until(condition)


@pytest.mark.parametrize(
    ("body", "stream", "joints"),
    [("rcsssmj", "rcsssmj/short_agent_t1.bin", 23), ("simspark", "simspark/short_agent_nao.bin", 22)],
)
def test_robot_senses_what_was_recorded_again_and_again(body, stream, joints, tmp_path) -> None:
    recording = tmp_path / "stream.bin"
    with_times(messages_of((DATA / stream).read_bytes()), recording, 0.02)
    heard = Listener(recording, body=body)
    heard.until(lambda: any("over" in link.reason for link in heard.links) and len(heard.joints) > 80)
    assert {link.peer for link in heard.links} == {f"replay://{recording}"}
    assert {len(message.position) for message in heard.joints} == {joints}


def test_what_a_simulator_sent_is_kept_and_played(tmp_path) -> None:
    recording = tmp_path / "game.bin"
    with SimsparkServer(noise=False) as server:
        live = Listener(recording, body="simspark", transport="tcp", port=str(server.port))
        live.until(lambda: len(live.joints) > 50)
    again = Listener(recording, body="simspark", replay_speed="4.0")
    again.until(lambda: len(again.joints) > 50 and bool(again.links))
    assert again.links[0].peer == f"replay://{recording}"
    assert again.joints[0].name == live.joints[0].name


def test_agent_of_a_grid_world_sees_what_was_recorded(tmp_path) -> None:
    recording, parameters = tmp_path / "eat.raw", tmp_path / "again.yaml"
    # The episode ends with the recording; it is joined again, so that it is heard also by who was not there in time.
    parameters.write_text("/**: {ros__parameters: {autostart: true, rejoin: always}}\n")
    lines = (DATA / "maeden/recordings/json_j1/eat.A0.s2c.raw").read_bytes().splitlines(keepends=True)
    with_times(lines, recording, 0.5)
    heard = Listener(recording, body="maeden", params=str(parameters))
    heard.until(lambda: {grid.smell for grid in heard.grids} >= {"b", "h"})


def test_recording_that_is_not_given_or_not_there_is_named(tmp_path, capfd) -> None:
    heard = Listener(tmp_path / "none.bin", body="simspark")
    heard.until(lambda: any("none.bin: cannot be read: No such file" in link.reason for link in heard.links))
    heard = Listener("", body="simspark")
    with Graph(heard.plan, lambda text: None) as graph:
        node = graph.runtime._nodes[0]
        graph.spin(lambda: node.refused)
    assert "not configured: parameter recording is empty" in capfd.readouterr().err
