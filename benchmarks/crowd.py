# SPDX-License-Identifier: Apache-2.0
"""A full game for a monitor, made of a recording with few players: SimSpark messages with 22 Naos that all move.

It is the most that rcssserver3d 0.7.3 can send: it leaves out what has not moved by more than 0.005, and all parts of a
robot are in coordinates of the world, so one that walks sends all of its 23 matrices, some 3.5 kB, in each message.
"""

import re
from itertools import cycle, islice, pairwise
from pathlib import Path

import numpy as np

from embodiment_bridge.wire.framing import Framer
from embodiment_bridge.wire.sexpr import split

RECORDING = Path(__file__).parents[1] / "test/data/simspark_monitor/short_monitor.bin"
TEAM_SIZE = 11
MOVING = 10  # parts of a player that move at least, in the changes that are used
STAGGER = 3  # messages by which one player's movement is behind the next one's
HEADER = re.compile(r"\((RSG|RDS) 0 1\)\((.*)\)$", re.DOTALL)
MATRIX = re.compile(r"(?<=\(SLT )[^()]+")
PLAYER = re.compile(r"matNum\d+ mat(?:Left|Right)|mat(?:Left|Right)")


def crowd(players: int = 2 * TEAM_SIZE, recording: Path = RECORDING) -> tuple[str, list[str]]:
    """The graph of a whole scene, and those of changes that fit to it, to be sent round and round."""
    texts = [found.payload.decode() for found in Framer().feed(recording.read_bytes())]
    begin, end = _longest_run(texts)
    whole, *changes = [_roots(text) for text in texts[begin:end]]
    scenery = len(_roots(texts[0]))  # before the first player
    robot = whole[scenery]
    scene = whole[:scenery] + [_moved(_as_player(robot, index), index) for index in range(players)]
    moves = [root for roots in changes for root in roots[scenery:] if root.count("SLT") > MOVING]
    rows = []
    for index, roots in enumerate(changes):
        moved = islice(cycle(moves), index, index + STAGGER * players, STAGGER)
        placed = [_moved(root, player, index) for player, root in enumerate(moved)]
        rows.append("".join(roots[:scenery] + placed))
    return "".join(scene), rows


def message(graph: str, kind: str, time_s: float, more: str = "") -> bytes:
    """The payload of one message."""
    return f"({more}(time {time_s:.6f}))({kind} 0 1)({graph})".encode()


def _longest_run(texts: list[str]) -> tuple[int, int]:
    """Where the longest row of changes is that has players, its whole scene first."""
    wholes = [i for i, text in enumerate(texts) if "(RSG " in text] + [len(texts)]
    runs = [(a, b) for a, b in pairwise(wholes) if "matNum1 matLeft matType" in texts[a]]
    return max(runs, key=lambda run: run[1] - run[0])


def _roots(text: str) -> list[str]:
    graph = HEADER.search(text)
    if graph is None:
        raise ValueError(f"no scene graph in {text[:80]!r}")
    data = graph[2].encode()
    return [data[piece.start : piece.end].decode() for piece in split(data)]


def _as_player(robot: str, index: int) -> str:
    side, number = ("Left", "Right")[index // TEAM_SIZE % 2], index % TEAM_SIZE + 1

    def material(found: re.Match[str]) -> str:
        return f"matNum{number} mat{side}" if "Num" in found[0] else f"mat{side}"

    return PLAYER.sub(material, robot)


def _moved(text: str, player: int, step: int = 0) -> str:
    """The text of a recorded robot with all parts where a player is; what has no place of its own stays.

    Each player stands elsewhere and looks elsewhere, and with each step goes on by 1 cm and turns by half a degree: so
    the numbers have as many digits as those of robots that walk.
    """
    column, line = divmod(player, 6)
    place = np.array([-12.2 + 5.0 * column + 0.01 * step, 7.2 - 3.0 * line, 0.0])
    angle = 0.7 * player + 0.01 * step
    turn = np.array(
        [[np.cos(angle), np.sin(angle), 0.0], [-np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    )
    middle = np.array([0.0, 0.0, 0.0])

    def moved(found: re.Match[str]) -> str:
        rows = np.array(found[0].split(), dtype=float).reshape(4, 4)
        if not rows[3, :2].any():
            return found[0]
        if not middle.any():  # the torso comes first
            middle[:2] = rows[3, :2]
        rows[3, :3] -= middle
        rows[:, :3] = rows[:, :3] @ turn
        rows[3, :3] += place
        return " ".join(f"{value:g}" for value in rows.ravel())

    return MATRIX.sub(moved, text)
