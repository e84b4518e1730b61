# SPDX-License-Identifier: Apache-2.0
"""Reads scene graphs as servers write them: node by node, not list by list.

A server sends 25 graphs a second. What follows each ``(nd`` is nearly always something that came before, such as ``)``
or `` StaticMesh))``, perhaps behind a matrix; so it is looked up, and only the numbers are read. On the changes of a
game with 22 moving players that takes a third of the time of the general way (benchmarks/bench_monitor.py).
"""

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from embodiment_bridge.protocols.soccer_monitor.events import Detail, Matrix
from embodiment_bridge.protocols.soccer_monitor.node_details import detail
from embodiment_bridge.sexpr import DEFAULT_MAX_DEPTH

MAX_NODES: Final = 20000  # of a scene; a full game has some 2000
MAX_UNKNOWN: Final = 100  # attributes without a meaning that are told of one graph
PLAIN: Final = ("", "TRF", "BN")  # types of nodes that say nothing but their place
KEPT: Final = 2048  # texts that are remembered; a game has some hundred different ones
LONGEST_KEPT: Final = 300  # characters of such a text
_BEFORE_MATRIX: Final = (" ", " TRF ", " TRF", "")
_FIRST_PLACES: Final = 6  # where a matrix may begin, behind (nd
_REST: Final = re.compile(r"(?:\s+([^\s()]+))?((?:\s*\([^()]*\))*)\s*((?:\)\s*)*)")
_FLAT: Final = re.compile(r"\([^()]*\)")


@dataclass(slots=True)
class Graph:
    """What a graph says, as in ``events.Scene``; ``unknown``: texts of attributes that have no meaning here."""

    depths: list[int] = field(default_factory=list)
    matrices: list[tuple[int, Matrix]] = field(default_factory=list)
    details: list[tuple[int, Detail]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class _Rest(NamedTuple):
    """What a node says behind its matrix.

    typed: with a type before. deeper: how many lists more are open behind it than before it.
    """

    detail: Detail | None
    unknown: tuple[str, ...]
    typed: bool
    deeper: int


_kept: dict[str, _Rest] = {}


def read_quickly(text: str) -> Graph | None:
    """The nodes in ``text``; None where it is not as servers write it, or not right.

    Raises:
        BadListError: a known attribute is not as it should be.
    """
    before, *nodes = text.split("(nd", MAX_NODES + 1)
    if before.strip() or len(nodes) > MAX_NODES:
        return None
    graph = Graph()
    depths, matrices, details = graph.depths, graph.matrices, graph.details
    depth = 0
    for index, node in enumerate(nodes):
        rest = _kept.get(node)
        if rest is None:
            rest, values = _look_behind_matrix(node)
            if values:
                matrices.append((index, values))
        if rest is None or not 0 <= depth < DEFAULT_MAX_DEPTH:
            return None
        depths.append(depth)
        said, unknown, _, deeper = rest
        depth += deeper
        if said is not None:
            details.append((index, said))
            if unknown:
                graph.unknown += unknown[: MAX_UNKNOWN - len(graph.unknown)]
    return graph if depth == 0 else None


def _look_behind_matrix(node: str) -> tuple[_Rest | None, Matrix]:
    """What a node says, and its matrix, if it has one."""
    start = node.find("(SLT ", 0, _FIRST_PLACES + 4)
    if start < 0:
        return _look(node), ()
    end = node.find(")", start)
    numbers = node[start + 5 : end]
    try:
        values = tuple(map(float, numbers.split()))
    except ValueError:
        return None, ()
    if len(values) != 16 or "_" in numbers or end < 0 or node[:start] not in _BEFORE_MATRIX:
        return None, ()
    text = node[end + 1 :]
    rest = _kept.get(text) or _look(text)
    return (None if rest is None or rest.typed else rest), values


def _look(text: str) -> _Rest | None:
    found = _REST.fullmatch(text)
    if found is None:
        return None
    kind, attributes, ends = found[1] or "", _FLAT.findall(found[2]), found[3].count(")")
    said, unknown = detail(kind, attributes) if attributes or kind not in PLAIN else (None, ())
    rest = _Rest(said, unknown, bool(found[1]), 1 - ends)
    if len(text) <= LONGEST_KEPT:
        if len(_kept) >= KEPT:
            _kept.clear()
        _kept[text] = rest
    return rest
