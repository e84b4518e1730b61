# SPDX-License-Identifier: Apache-2.0
"""A full game for a monitor, made of a recording with few players: SimSpark messages with 22 Naos that all move."""

import re
from itertools import cycle, islice, pairwise
from pathlib import Path

from embodiment_bridge.framing import Framer
from embodiment_bridge.sexpr import split

RECORDING = Path(__file__).parents[1] / "test/data/simspark_monitor/short_monitor.bin"
TEAM_SIZE = 11
MOVING = 10  # parts of a player that move at least, in the changes that are used
STAGGER = 3  # messages by which one player's movement is behind the next one's
HEADER = re.compile(r"\((RSG|RDS) 0 1\)\((.*)\)$", re.DOTALL)
PLAYER = re.compile(r"matNum\d+ mat(?:Left|Right)|mat(?:Left|Right)")


def crowd(players: int = 2 * TEAM_SIZE, recording: Path = RECORDING) -> tuple[str, list[str]]:
    """The graph of a whole scene, and those of changes that fit to it, to be sent round and round."""
    texts = [found.payload.decode() for found in Framer().feed(recording.read_bytes())]
    begin, end = _longest_run(texts)
    whole, *changes = [_roots(text) for text in texts[begin:end]]
    scenery = len(_roots(texts[0]))  # before anybody came
    robot = whole[scenery]
    scene = whole[:scenery] + [_as_player(robot, number) for number in range(players)]
    moves = [root for roots in changes for root in roots[scenery:] if root.count("SLT") > MOVING]
    rows = []
    for index, roots in enumerate(changes):
        moved = islice(cycle(moves), index, index + STAGGER * players, STAGGER)
        rows.append("".join(roots[:scenery] + list(moved)))
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
