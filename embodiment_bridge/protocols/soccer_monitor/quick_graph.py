# SPDX-License-Identifier: Apache-2.0
"""Reads scene graphs as servers write them: matrix by matrix, not list by list.

What stands between two matrices is nearly always something that came before, such as ``)(nd SMN))(nd ``; so it is
looked up, and only the numbers are read. A message of a game with 22 moving players takes 2.8 ms of CPU time so, 4.6 ms
list by list: 4.5 % of a core at 25 messages a second, and without it a node takes a game half as fast, where ten times
faster than real time is the aim.
"""

import re
from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from embodiment_bridge.protocols.soccer_monitor.node_details import detail
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Matrices
from embodiment_bridge.wire.sexpr import DEFAULT_MAX_DEPTH

MAX_NODES: Final = 20000  # of a scene; a full game has some 2000
MAX_UNKNOWN: Final = 100  # attributes without a meaning that are told of one graph
PLAIN: Final = ("", "TRF", "BN")  # types of nodes that say nothing but their place
KEPT: Final = 2048  # texts that are remembered, of each kind; a game has some hundred different ones
LONGEST_KEPT: Final = 500  # characters of such a text
_BEFORE_MATRIX: Final = (" ", " TRF ", " TRF", "")
_BLANKS_IN_MATRIX: Final = 15
_NODE: Final = re.compile(r"(?:\s+([^\s()]+))?((?:\s*\([^()]*\))*)\s*((?:\)\s*)*)")
_FLAT: Final = re.compile(r"\([^()]*\)")


@dataclass(slots=True)
class Graph:
    """What a graph says, as in ``events.Scene``; ``unknown``: texts of attributes that have no meaning here."""

    depths: list[int] = field(default_factory=list)
    matrices: Matrices = field(default_factory=Matrices)
    details: list[tuple[int, Detail]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class _Stretch(NamedTuple):
    """What stands between two matrices.

    closed: how many lists end behind the matrix before, and behind each node but the one with the next matrix.
    details: of nodes, counted from the one behind the matrix before. opens: it ends where a matrix may begin.
    """

    closed: bytes
    details: tuple[tuple[int, Detail], ...]
    unknown: tuple[str, ...]
    opens: bool


class _Node(NamedTuple):
    """What a node says but its matrix; ``closed``: how many lists end behind that."""

    typed: bool
    detail: Detail | None
    unknown: tuple[str, ...]
    closed: int


def read_quickly(text: str) -> Graph | None:
    """The nodes in ``text``; None where it is not as servers write it, or not right.

    Raises:
        BadListError: a known attribute is not as it should be.
    """
    if text.lstrip()[:3] not in ("(nd", ""):
        return None
    stretch, *others = text.split("(SLT ")
    graph = Graph()
    nodes, details = graph.matrices.nodes, graph.details
    count, closed, numbers = 0, [], []
    for other in others:
        found = _stretch(stretch)
        row, _, stretch = other.partition(")")
        if found is None or row.count(" ") != _BLANKS_IN_MATRIX:
            return None
        ends, said, unknown, opens = found
        if not opens:
            return None
        for index, one in said:
            details.append((count + index, one))
        if unknown:
            graph.unknown += unknown
        count += len(ends)
        nodes.append(count - 1)
        closed.append(ends)
        numbers.append(row)
    last = _stretch(stretch)
    values = _numbers(" ".join(numbers)) if numbers else array("d")
    if last is None or last.opens or values is None:
        return None
    details += [(count + index, said) for index, said in last.details]
    graph.unknown = [*graph.unknown, *last.unknown][:MAX_UNKNOWN]
    graph.matrices.values = values
    depths = _depths(b"".join([*closed, last.closed])[1:])
    if depths is None:
        return None
    graph.depths = depths
    return graph


def _numbers(text: str) -> "array[float] | None":
    try:
        return None if "_" in text else array("d", map(float, text.split(" ")))  # float() takes 1_0 too
    except ValueError:
        return None


def _depths(closed: bytes) -> list[int] | None:
    """The depths of nodes, behind each of which so many lists end; None where brackets do not pair."""
    if not 0 < len(closed) <= MAX_NODES:
        return None if closed else []
    steps: Any = 1 - np.frombuffer(closed, np.uint8).astype(np.int32)
    behind = np.cumsum(steps)
    depths = behind - steps
    good = depths.min() >= 0 and depths.max() < DEFAULT_MAX_DEPTH and behind[-1] == 0
    return depths.tolist() if good else None


def _stretch(text: str) -> _Stretch | None:
    return _kept_stretch(text) if len(text) <= LONGEST_KEPT else _read_stretch(text)


def _read_stretch(text: str) -> _Stretch | None:
    """What stands between two matrices, the brackets of which are not part of it; None where it is not known."""
    behind, *texts = text.split("(nd", MAX_NODES + 1)
    opens = bool(texts) and texts[-1] in _BEFORE_MATRIX
    if opens:
        texts.pop()
    nodes = []
    for node_text in (behind, *texts):
        node = _kept_node(node_text) if len(node_text) <= LONGEST_KEPT else _read_node(node_text)
        if node is None:
            return None
        nodes.append(node)
    if len(nodes) > MAX_NODES or nodes[0].typed:
        return None
    return _Stretch(
        bytes(min(node.closed, DEFAULT_MAX_DEPTH + 1) for node in nodes),
        tuple((index, node.detail) for index, node in enumerate(nodes, start=-1) if node.detail is not None),
        tuple(text for node in nodes for text in node.unknown),
        opens,
    )


def _read_node(text: str) -> _Node | None:
    found = _NODE.fullmatch(text)
    if found is None:
        return None
    kind, attributes, ends = found[1] or "", _FLAT.findall(found[2]), found[3].count(")")
    said, unknown = detail(kind, attributes) if attributes or kind not in PLAIN else (None, ())
    return _Node(bool(found[1]), said, unknown, ends)


_kept_stretch: Final = lru_cache(KEPT)(_read_stretch)
_kept_node: Final = lru_cache(KEPT)(_read_node)
