# SPDX-License-Identifier: Apache-2.0
"""The bodies of the demos: launch arguments that start each of them on this machine, on free ports."""

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import SystemRandom
from tempfile import gettempdir
from typing import Final

STANDING_T1: Final = 0.6  # m; the torso of a standing T1 is at 0.67
# M; base_link of a standing desk humanoid on the table of the world desk is at 0.92.
STANDING_ON_DESK: Final = 0.85
STANDING_NAO: Final = 0.25  # m; the torso of a standing Nao is at 0.36, as localised by landmarks
PORTS: Final = range(20000, 32000)  # Linux gives those from 32768 on to any program that asks for one


@dataclass(frozen=True, slots=True)
class DemoBody:
    """Describes a body of the demos. about: what starts, for people. words: gives its launch arguments.

    upright: lowest height of base_link of a standing body, m; 0 for a body that cannot fall.
    near_ball: whether its simulator lets it be placed 2 m from the ball. placed: it has a pose.
    """

    about: str
    words: Callable[[], list[str]]
    upright: float = 0.0
    near_ball: bool = False
    placed: bool = True


def free_ports(number: int) -> tuple[int, ...]:
    """Return TCP ports of this machine on which nobody listens, for programs that start some seconds later."""
    return tuple(islice(_free_ports(), number))


def _free_ports() -> Iterator[int]:
    """Yield free ports in another order in each process, as several processes may choose at once."""
    for port in SystemRandom().sample(PORTS, len(PORTS)):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        yield port


def _soccer() -> list[str]:
    port, monitor_port = free_ports(2)
    return ["start_peer:=true", f"port:={port}", f"monitor_port:={monitor_port}"]


def _maeden() -> list[str]:
    return ["start_peer:=true", f"port:={free_ports(1)[0]}"]


def _virtual_servos() -> list[str]:
    return [f"port:={Path(gettempdir()) / f'ttyDXL{os.getpid()}'}", "start_pose:=rest"]


def _on_desk() -> list[str]:
    return ["world:=desk"]


BODIES: Mapping[str, DemoBody] = {
    "rcsssmj": DemoBody(
        "the RoboCup MuJoCo simulator, joined with a T1 (about 10 s)", _soccer, STANDING_T1, True
    ),
    "simspark": DemoBody(
        "a stand-in for the simulator rcssserver3d, joined with a Nao", _soccer, STANDING_NAO, True
    ),
    "maeden": DemoBody("a stand-in for the simulator Maeden, joined with an agent", _maeden),
    "virtual_servos": DemoBody(
        "twenty virtual servos, and the driver for real ones", _virtual_servos, placed=False
    ),
    "mujoco": DemoBody("a desk humanoid in MuJoCo, on a table", _on_desk, STANDING_ON_DESK),
    "mock": DemoBody("a mock body in a small world of its own", list),
}
