# SPDX-License-Identifier: Apache-2.0
"""Players on a running rcssserver3d, with link, codec, converter and motion but without ROS; and its monitor port."""

import os
import socket
import threading
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from waiting import THREAD

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.link.session import Phase, Session, linked
from embodiment_bridge.link.transports.tcp import TcpClient
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.protocols.simspark.converter import NaoConverter
from embodiment_bridge.protocols.simspark_monitor.codec import Codec as MonitorCodec
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel

ROOT = Path(__file__).parents[2]
VARIABLE = "EMBODIMENT_BRIDGE_RCSSSERVER3D"
RESTART = "EMBODIMENT_BRIDGE_RCSSSERVER3D_START"
TRIP = 0.75  # rad of the ankles beside their rest, on which nobody stands
MONITOR_AFTER = 100  # the monitor port is the agent port and this, as 3100 and 3200


def server():
    """Host and port of the agent port, or the test is skipped."""
    place = os.environ.get(VARIABLE, "")
    if not place:
        pytest.skip(f"{VARIABLE} names no server")
    host, _, port = place.rpartition(":")
    return host, int(port)


def start_command():
    """The command that starts the server again, or the test is skipped."""
    server()
    command = os.environ.get(RESTART, "")
    if not command:
        pytest.skip(f"{RESTART} names no command")
    return command


class RealNao:
    """One player: it joins at once, and is left with ``close``. Times are those of the server."""

    def __init__(self, number=1, robot="nao", team="bridge", body="", start_pose="line_up"):
        body = body or str(ROOT / "config/bodies" / ("nao_toe.yaml" if robot == "nao4" else "nao.yaml"))
        limbs = {"nao1": "nao1", "nao3": "nao3", "nao4": "nao_toe"}.get(robot, "nao")
        values = {
            "robot": robot,
            "team": team,
            "number": number,
            "frame_prefix": "",
            "field_length": 30.0,
            "field_width": 20.0,
            "start_pose": start_pose,
            "robot_description_file": str(ROOT / f"urdf/{limbs}.urdf"),
        }
        self.body = read_body(Path(body))
        self.converter = NaoConverter(values, self.body)
        self.runner = MotionRunner(self.body, things=self.converter.things)
        self.state = self._before = None
        self.statuses = set()
        self.way = []  # (time, state) of each percept
        self.changed = threading.Condition()
        self.reports = []
        self.links = []
        host, port = server()
        codec = self.converter.codec_options()
        self.session = Session(
            linked(lambda: TcpClient(host, port), lambda: Codec(**codec)), self, self._link, peer="server"
        )
        self.session.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.session.stop()

    # What the session calls

    def _link(self, status):
        with self.changed:
            self.links.append(status)
            self.changed.notify_all()

    def handshake(self):
        self._before = None
        return self.converter.handshake()

    def batch_received(self, count):
        return self.converter.batch_received(count)

    def perceive(self, event):
        with self.changed:
            state = self.converter.body_state(event)
            if state is None:
                return Cycle(event)
            before, self._before = self._before, state
            targets = self.runner.step(state, state.time - before.time if before else 0.0)
            self.state = state
            self.statuses.add(self.runner.status)
            self.way.append(state)
            self.reports += self.runner.take_reports()
            self.changed.notify_all()
            return Cycle(event, state, targets)

    def respond(self, cycle):
        return self.converter.answer(cycle)

    def ready(self, cycle):
        return cycle.state is not None

    def observe(self, cycle):
        with self.changed:
            list(self.converter.messages(cycle, Time()))  # it learns the things on the way

    def lost(self, reason):
        pass

    # What a test calls

    def until(self, done):
        with self.changed:
            assert self.changed.wait_for(done, THREAD), self.session.status
        return self

    def joined(self, times=1):
        return self.until(lambda: sum(s.phase is Phase.READY and not s.reason for s in self.links) >= times)

    def run(self, seconds):
        """Let time of the server pass."""
        self.until(lambda: self.state is not None)
        end = self.state.time + seconds
        return self.until(lambda: self.state.time >= end)

    def velocity(self, forward, turn, seconds):
        """Walk at a velocity; returns the way (m) and the turn (rad) as the robot knows them."""
        with self.changed:
            begun = self.state
            self.runner.set_velocity(forward, turn, seconds)
        self.run(seconds + 1.0)
        a, b = begun.base_position, self.state.base_position
        return ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) ** 0.5, self.state.yaw - begun.yaw

    def trip(self, side):
        """Fall on the front or the back, by the ankles."""
        rest = next(joint.rest for joint in self.body.joints if joint.name == "llj5")
        angle = rest + (TRIP if side == "front" else -TRIP)
        with self.changed:
            self.runner.follow(["llj5", "rlj5"], [TrajectoryPoint(0.2, (angle, angle))])
        return self.until(lambda: self.runner.status == "fallen").run(2.0)

    def do(self, name, slot=0.0, **parameters):
        """Do a skill; how it ended."""
        with self.changed:
            self.reports.clear()
            self.runner.start(SkillRequest(name, name, parameters, slot))
        self.until(lambda: any(report.status.ended for report in self.reports))
        return next(report for report in self.reports if report.status.ended)


def _monitor():
    host, port = server()
    return socket.create_connection((host, port + MONITOR_AFTER), THREAD)


def train(text):
    """Send commands of a trainer, several lists side by side."""
    with _monitor() as connection:
        payload = text.encode()
        connection.sendall(len(payload).to_bytes(4, "big") + payload)
        connection.recv(1 << 16)  # so that the server has read them before the end


def look():
    """What the server says of the world now.

    Returns:
        The play mode, and by (side, number) the place of the torso (m) and how upright it is, 1 for one that stands.
    """
    model, worlds = _seen()
    found = {}
    for player in model.objects.players:
        world = worlds[player.node]
        found[player.side, player.number] = tuple(map(float, world[3, :3])), float(world[2, 2])
    return model.game.play_mode, found


def ball():
    """Where the server says that the ball is, x and y (m)."""
    model, worlds = _seen()
    world = worlds[model.objects.ball]
    return float(world[3, 0]), float(world[3, 1])


def _seen():
    codec, model = MonitorCodec(), MonitorModel(can_ask=False)
    with _monitor() as connection:
        while not model.in_step:
            data = connection.recv(1 << 16)
            assert data, "the server hung up"
            for event in codec.feed(data):
                model.take(event)
    return model, model.graph.worlds()
