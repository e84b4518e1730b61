# SPDX-License-Identifier: Apache-2.0
"""Stands in for RCSSServerMJ: sends the percepts of a recording to any number of robots, at a rate, for ever.

    python benchmarks/replay_server.py [--recording FILE] [--rate HZ]

One line of JSON on standard output names the ports: ``{"port": 40123, "monitor_port": 40124}``. A robot joins by any
frame (its init) and then gets one percept per cycle, as all others do at the same moment. The time in a percept is the
reading of this machine's monotonic clock when it was sent, so it goes on when the recording begins anew, and whoever
gets a message that was made from a percept can tell how old it is. The monitor port sends one message to each visitor.
A line on standard input ends the server; its last line of output tells what was sent to each robot, what came back, and
how many ms each of the last answers had come after its percept was sent: what happened before the last --keep seconds
is left out there.
"""

import argparse
import json
import re
import selectors
import socket
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from embodiment_bridge.wire.framing import Framer, frame

RECORDING = Path(__file__).parents[1] / "test/data/rcsssmj/short_agent_t1.bin"
RATE = 50.0  # Hz, the real server's
NOW = re.compile(rb"\(now [0-9.]+\)")
READ_SIZE = 65536
KEEP = 20.0  # s of which answer times are kept
DRAIN = 1.0  # s for the answers to the last percepts


@dataclass
class Robot:
    """One connection and what went over it."""

    socket: socket.socket
    framer: Framer = field(default_factory=Framer)
    joined: bool = False
    sent: int = 0
    came: int = 0  # frames, the init among them
    asked: deque[float] = field(default_factory=deque)  # when percepts were sent that have no answer yet
    times: deque[float] = field(default_factory=deque)  # ms

    def hear(self, frames: int) -> None:
        """So many frames came."""
        now = time.monotonic()
        for _ in range(frames if self.joined else frames - 1):
            self.times.append(1e3 * (now - self.asked.popleft()))
        self.came += frames
        self.joined = self.joined or frames > 0


class Percepts:
    """The payloads of a recording, round and round."""

    def __init__(self, recording: Path) -> None:
        payloads = [found.payload for found in Framer().feed(recording.read_bytes())]
        self._halves = [NOW.split(payload, maxsplit=1) for payload in payloads if NOW.search(payload)]

    def make(self, number: int) -> bytes:
        """The frame of a cycle, stamped now."""
        before, after = self._halves[number % len(self._halves)]
        return frame(b"%b(now %.9f)%b" % (before, time.monotonic(), after))


class ReplayServer:
    """Serves until a line comes on standard input."""

    def __init__(self, percepts: Percepts, rate: float, keep: float = KEEP) -> None:
        self._percepts = percepts
        self._kept = round(rate * keep)
        self._period = 1.0 / rate
        self._agents = socket.create_server(("127.0.0.1", 0))
        self._monitors = socket.create_server(("127.0.0.1", 0))
        self._selector = selectors.DefaultSelector()
        for source in (self._agents, self._monitors, sys.stdin):
            self._selector.register(source, selectors.EVENT_READ)
        self._robots: dict[int, Robot] = {}
        self.all_robots: list[Robot] = []

    @property
    def ports(self) -> dict[str, int]:
        return {"port": self._agents.getsockname()[1], "monitor_port": self._monitors.getsockname()[1]}

    def serve(self) -> None:
        begin = time.monotonic()
        for cycle in count(1):
            while (left := begin + cycle * self._period - time.monotonic()) > 0:
                for key, _ in self._selector.select(left):
                    if key.fileobj is sys.stdin:
                        return
                    self._take(key.fileobj)
            self._send(cycle)

    def drain(self) -> None:
        """Read the answers that are still on their way."""
        end = time.monotonic() + DRAIN
        while (left := end - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                if key.fileobj is not sys.stdin:
                    self._take(key.fileobj)

    def _take(self, source: socket.socket) -> None:
        if source is self._monitors:
            visitor, _ = source.accept()
            with visitor:
                visitor.sendall(frame(b"(ready)"))
        elif source is self._agents:
            link, _ = source.accept()
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._robots[link.fileno()] = robot = Robot(link, times=deque(maxlen=self._kept))
            self.all_robots.append(robot)
            self._selector.register(link, selectors.EVENT_READ)
        else:
            self._hear(self._robots[source.fileno()])

    def _hear(self, robot: Robot) -> None:
        try:
            data = robot.socket.recv(READ_SIZE)
        except ConnectionError:
            data = b""
        if not data:
            self._drop(robot)
            return
        robot.hear(len(robot.framer.feed(data)))

    def _send(self, cycle: int) -> None:
        for robot in [r for r in self._robots.values() if r.joined]:
            self._tell(robot, self._percepts.make(cycle))

    def _tell(self, robot: Robot, percept: bytes) -> None:
        try:
            robot.asked.append(time.monotonic())
            robot.socket.sendall(percept)
            robot.sent += 1
        except ConnectionError:
            self._drop(robot)

    def _drop(self, robot: Robot) -> None:
        self._selector.unregister(robot.socket)
        del self._robots[robot.socket.fileno()]
        robot.socket.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--recording", type=Path, default=RECORDING)
    options.add_argument("--rate", type=float, default=RATE, help="Hz (default: %(default)g)")
    options.add_argument("--keep", type=float, default=KEEP, help="s (default: %(default)g)")
    arguments = options.parse_args()
    server = ReplayServer(Percepts(arguments.recording), arguments.rate, arguments.keep)
    print(json.dumps(server.ports), flush=True)
    server.serve()
    server.drain()
    robots = server.all_robots
    print(json.dumps([{"sent": r.sent, "came": r.came, "ms": list(r.times)} for r in robots]), flush=True)


if __name__ == "__main__":
    main()
