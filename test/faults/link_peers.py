# SPDX-License-Identifier: Apache-2.0
"""Peers of bodies behind a link, in this thread: what they send is all there is to know of them. No sockets, no clock.

A peer is asked once in ``cycle`` s for its message, which ends a frame or a packet.
"""

import re
from pathlib import Path
from random import Random
from typing import Protocol

from embodiment_bridge.standins.maeden.cycle import Simulation
from embodiment_bridge.standins.maeden.server import OWN_WORLD
from embodiment_bridge.standins.maeden.world import World as Grid
from embodiment_bridge.standins.maeden.world import rules_of
from embodiment_bridge.standins.simspark.agents import AgentConversation, Faults
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.framing import Framer, frame

SAMPLES = Path(__file__).parents[1] / "data"


class Peer(Protocol):
    cycle: float

    def join(self) -> None:
        """A new connection."""

    def hear(self, data: bytes) -> None:
        """What the bridge sends."""

    def say(self) -> bytes:
        """A cycle passes: the next message."""

    def begin_anew(self) -> None:
        """The program is started again: another world, whose time begins again."""

    def with_time(self, message: bytes, by: float) -> bytes:
        """The message as if the clock of the peer had jumped by so many s."""


class SparkPeer(Peer):
    """rcssserver3d: the world of the stand-in, without noise."""

    cycle = 0.02

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        self._world = World(noise=False)
        self._talk: AgentConversation | None = None

    def join(self) -> None:
        if self._talk is not None:
            self._talk.leave()
        self._talk = AgentConversation(self._world, Faults(), Random(1), true_pose=False)
        self._frames = Framer()

    def hear(self, data: bytes) -> None:
        for found in self._frames.feed(data):
            self._talk.hear(found.payload)

    def say(self) -> bytes:
        self._world.step()
        text = self._talk.message() if self._talk is not None else ""
        return frame(text.encode()) if text else b""

    def with_time(self, message: bytes, by: float) -> bytes:
        return soccer_time(message, by)


class MujocoPeer(Peer):
    """rcssservermj: a frame that it has sent, with the time and the joints that it would have now."""

    cycle = 0.02
    _MOTOR = re.compile(rb"\(([a-z]+)e(\d) (-?[\d.]+)")
    _JOINT = re.compile(rb"\(n q_([a-z]+\d)\)\(ax [^)]*\)\(vx [^)]*\)")

    def __init__(self) -> None:
        self._sample = Framer().feed((SAMPLES / "rcsssmj/samples/session.bin").read_bytes())[0].payload
        self.begin_anew()

    def begin_anew(self) -> None:
        self._time, self._angles, self._joined = 0.0, {}, False

    def join(self) -> None:
        self._frames, self._joined = Framer(), False

    def hear(self, data: bytes) -> None:
        for found in self._frames.feed(data):
            self._joined = self._joined or found.payload.startswith(b"(init")
            self._angles |= {
                limb + b"j" + end: angle for limb, end, angle in self._MOTOR.findall(found.payload)
            }

    def say(self) -> bytes:
        self._time += self.cycle
        if not self._joined:
            return b""
        text = re.sub(rb"\(now [^)]*\)", b"(now %.2f)" % self._time, self._sample, count=1)
        return frame(self._JOINT.sub(self._sensed, text))

    def _sensed(self, found: re.Match[bytes]) -> bytes:
        return b"(n q_%b)(ax %b)(vx 0.0)" % (found[1], self._angles.get(found[1], b"0.0"))

    def with_time(self, message: bytes, by: float) -> bytes:
        return soccer_time(message, by)


class GridPeer(Peer):
    """Maeden: the world of the stand-in, in the JSON dialect of 2018."""

    cycle = 0.05

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        self._simulation = Simulation(Grid(OWN_WORLD, rules_of("json2018")))
        self._waiting: list[str] = []
        self._id: int | None = None

    def join(self) -> None:
        if self._id is not None:
            self._simulation.world.agents.pop(self._id, None)
        agent, lines = self._simulation.join()
        self._id, self._waiting = agent.id, []
        self._first = "".join(f"{line}\n" for line in lines)

    def hear(self, data: bytes) -> None:
        self._waiting += data.decode().splitlines()

    def say(self) -> bytes:
        first, self._first = self._first, ""
        mine = {self._id: self._waiting.pop(0)} if self._waiting else {}
        said = self._simulation.cycle(mine).get(self._id, [])
        return (first + "".join(f"{line}\n" for line in said)).encode()

    def with_time(self, message: bytes, by: float) -> bytes:
        return re.sub(rb",(\d+)\]\n$", lambda found: b",%d]\n" % (int(found[1]) + by), message)


def soccer_time(message: bytes, by: float) -> bytes:
    """The frame with another time after ``now``."""

    def moved(found: re.Match[bytes]) -> bytes:
        return b"(now %.2f)" % (float(found[1]) + by)

    return b"".join(
        frame(re.sub(rb"\(now ([^)]*)\)", moved, found.payload, count=1)) for found in Framer().feed(message)
    )


PEERS = {"rcsssmj": MujocoPeer, "simspark": SparkPeer, "maeden": GridPeer}
