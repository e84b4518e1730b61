# SPDX-License-Identifier: Apache-2.0
"""A robot on the real rcssservermj, which waits for its answers; it begins anew like ``RobotModel``."""

import math
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from robot_model import NUMBER, START, TEAM, RobotModel

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.body.surroundings import Thing
from embodiment_bridge.cli.demos.bodies import free_ports
from embodiment_bridge.launching.environment import find_program, of_outside_program
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.convert import robot_of
from embodiment_bridge.protocols.rcsssmj.converter import RobotConverter
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj_monitor.codec import Codec as MonitorCodec
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.wire.framing import frame

URDFS = Path(__file__).parents[2] / "urdf"
PATIENCE_S = 30.0  # for each answer of the server
HALF_S = 240.0  # of play, after which the server is started again: it ends a half after 300 s
MOST_CYCLES = 1000  # that an order may take
NEAR_M = 0.3  # of its place: it was put there
ASIDE_M = 2.0  # to either side, so that a robot that was put somewhere has moved
TURNED = 0.5  # rad, spread of the heading at the start


class Stamp:
    """No time: nobody reads the messages."""

    sec = nanosec = 0


class ServerModel:
    """One robot alone on the field of a server of its own, with rules; commands are one cycle late.

    What a robot senses of its torso there is the truth, cut to some digits. ball_place: of the ball, m in ``map``, as
    the monitor port tells.
    """

    def __init__(self, description: BodyDescription) -> None:
        self._description = description
        self.ball_place = (0.0, 0.0)
        self._height = RobotModel(description).height
        self._robot = robot_of(description)
        self._server: subprocess.Popen[bytes] | None = None
        self._start()

    def reset(self, seed: int) -> BodyState:
        """Put the robot upright on the field, limp until it is told something; ``seed`` varies its heading."""
        if self.state.time > self._until:
            self.close()
            self._start()
        yaw = np.random.default_rng(seed).normal(0.0, TURNED)
        self._place(self._height, (math.cos(0.5 * yaw), 0.0, 0.0, math.sin(0.5 * yaw)))
        return self.state

    def lay(self, height: float, roll: float, pitch: float) -> None:
        """Turn the robot about its x axis, then about the y axis of the field (rad); lift its torso to ``height`` m."""
        a, b, c, d = math.cos(0.5 * pitch), math.sin(0.5 * pitch), math.cos(0.5 * roll), math.sin(0.5 * roll)
        self._place(height, (a * c, a * d, b * c, -b * d))

    def step(self, targets: JointTargets) -> BodyState:
        """Send targets, wait for the next percept, return what the robot senses then."""
        self._last = targets
        cycle = Cycle(self._percept, self.state, targets)
        for command in self._converter.answer(cycle):
            self._agent.sendall(self._codec.encode(command))
        for _ in self._converter.messages(cycle, Stamp()):
            pass  # sees what the percept shows
        self._take()
        return self.state

    def sense(self) -> BodyState:
        """What it senses of itself."""
        return self.state

    @property
    def upright(self) -> float:
        """Cosine of the tilt of the torso."""
        return math.cos(self.state.roll) * math.cos(self.state.pitch)

    def things(self) -> dict[str, Thing]:
        """What the robot sees and remembers."""
        return dict(self._converter.things())

    def place_ball(self, x: float, y: float) -> None:
        """Put the ball on the ground, m in ``map``; play goes on, as a ball that is dropped stays where it was."""
        self._order(
            f"(dropBall)(ball (pos {x} {y} 0.11))", lambda: math.dist(self.ball_place, (x, y)) < NEAR_M
        )

    def close(self) -> None:
        """End the server."""
        self._agent.close()
        self._monitor.close()
        self._server.send_signal(signal.SIGINT)
        try:
            self._server.wait(5.0)
        except subprocess.TimeoutExpired:
            self._server.kill()

    def _start(self) -> None:
        port, monitor_port = free_ports(2)
        words = ["--sync", "--no-realtime", "--no-render", "--aport", str(port), "--mport", str(monitor_port)]
        self._server = subprocess.Popen(
            [str(find_program("rcssservermj")), *words],
            env=of_outside_program(os.environ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._monitor = self._connect(monitor_port)
        self._monitor.recv(1, socket.MSG_PEEK)  # the world exists: an init before that ends the server
        threading.Thread(target=self._watch, args=(self._monitor,), daemon=True).start()
        self._agent = self._connect(port)
        name = self._robot.name
        parameters = {
            "robot": name, "team": TEAM, "number": NUMBER, "frame_prefix": "",
            "robot_description_file": str(URDFS / f"{name.lower()}.urdf"),
        }  # fmt: skip
        self._converter = RobotConverter(parameters, self._description)
        self._converter.set_demand(lambda topic: False)
        self._codec = Codec()
        for command in self._converter.handshake():
            self._agent.sendall(self._codec.encode(command))
        self._take()
        none = (0.0,) * len(self._description.joints)
        self._last = JointTargets(none, none, none, none, none)
        self._put_left = False
        self._until = self.state.time + HALF_S

    def _connect(self, port: int) -> socket.socket:
        for _ in range(round(PATIENCE_S / 0.1)):
            try:
                return socket.create_connection(("127.0.0.1", port), PATIENCE_S)
            except ConnectionRefusedError:
                try:
                    self._server.wait(0.1)
                except subprocess.TimeoutExpired:
                    continue
                break
        raise SystemExit(f"rcssservermj does not listen on port {port}")

    def _take(self) -> None:
        """Wait for the next percept."""
        while True:
            data = self._agent.recv(65536)
            if not data:
                raise SystemExit("rcssservermj has closed the connection")
            for event in self._codec.feed(data):
                if isinstance(event, Percept):
                    self._percept = event
                    self.state = self._converter.body_state(event)
                    return

    def _place(self, height: float, turn: tuple[float, float, float, float]) -> None:
        self._put_left = not self._put_left
        x, y = START[0] + (ASIDE_M if self._put_left else -ASIDE_M), START[1]
        pose = " ".join(f"{value:.6f}" for value in (x, y, height, *turn))
        order = f"(agent (unum {NUMBER})(team {TEAM})(move3d {pose}))"
        self._order(order, lambda: math.dist(self.state.base_position[:2], (x, y)) < NEAR_M)

    def _order(self, text: str, obeyed: Callable[[], bool]) -> None:
        """Tell the server as its trainer; it obeys when it comes to it. The robot stays as it is until then."""
        self._monitor.sendall(frame(text.encode()))
        for _ in range(MOST_CYCLES):
            if obeyed():
                return
            self.step(self._last)
        raise SystemExit(f"rcssservermj did not obey {text}")

    def _watch(self, monitor: socket.socket) -> None:
        """Take in what the monitor port says, at once: the server waits for a monitor that does not read."""
        codec, model = MonitorCodec(), MonitorModel(can_ask=False)
        with suppress(OSError):  # closed
            while data := monitor.recv(65536):
                for event in codec.feed(data):
                    model.take(event)
                if model.in_step and model.objects.ball is not None:
                    x, y, _ = model.graph.worlds()[model.objects.ball, 3, :3].tolist()
                    self.ball_place = x, y
