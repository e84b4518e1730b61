# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a scene graph without recursion, and the flat lists inside its nodes.

Graphs as servers write them are read matrix by matrix. What stands between two matrices is nearly always something that
came before, such as ``)(nd SMN))(nd ``; so it is looked up, and only the numbers are read. A message of a game with 22
moving players takes 2.8 ms of CPU time so, 4.6 ms token by token, with which a node takes a game half as fast.

Everything else is read token by token. Tokens are not brackets and words but whole lists without lists in them,
``(SLT 1 0 ...)`` or ``(nd)``, the beginning of one that holds lists, ``(nd TRF``, or its end.
"""

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from embodiment_bridge.protocols.soccer.list_fields import NUMBER, BadListError
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Matrices, Matrix
from embodiment_bridge.wire.codec import excerpt
from embodiment_bridge.wire.sexpr import DEFAULT_MAX_DEPTH

OBJECTS: Final = ("ball", "agent")


def matrix(text: str) -> Matrix:
    """The matrix of ``(SLT 1 0 0 0 ...)``.

    Raises:
        BadListError: these are not 16 numbers.
    """
    words = text[1:-1].split()[1:]
    try:
        values = tuple(map(float, words))
    except ValueError:
        values = ()
    if len(values) != 16 or "_" in text:  # float() takes 1_0 too
        raise BadListError(f"{excerpt(text.encode())!r} is not SLT and 16 numbers")
    return values


def detail(kind: str, attributes: Sequence[str]) -> tuple[Detail, tuple[str, ...]]:
    """Read the flat lists of a node of type ``kind``; return also those that have no meaning here.

    Raises:
        BadListError: a known attribute has other values than it should.
    """
    fields: dict[str, Any] = {"type": kind}
    others = []
    for text in attributes:
        name, *values = text[1:-1].split() or [""]
        if name in _READERS:
            field, read = _READERS[name]
            try:
                fields[field] = read(values)
            except BadListError as error:
                raise BadListError(f"{excerpt(text.encode())!r}: {error}") from None
        elif name in _LIGHTS:
            colors = fields.setdefault("lights", (0.0,) * 12)
            at = _LIGHTS[name]
            fields["lights"] = (*colors[:at], *_some_numbers(values, 4), *colors[at + 4 :])
        elif name == "load":
            _load(values, fields)
        elif name in OBJECTS and kind == "DSC":
            fields["words"] = (name, *values)
        else:
            others.append(text)
    return Detail(**fields), tuple(others)


def _load(values: Sequence[str], fields: dict[str, Any]) -> None:
    if not values:
        raise BadListError("load has no mesh")
    fields["mesh"] = values[0]
    fields["parameters"] = _some_numbers(values[1:])


def _some_numbers(values: Sequence[str], count: int | None = None) -> tuple[float, ...]:
    if count is not None and len(values) != count:
        raise BadListError(f"{len(values)} values instead of {count}")
    return tuple(NUMBER.read(value) for value in values)


def _flag(values: Sequence[str]) -> bool:
    """``(setTransparent)`` alone means yes."""
    if len(values) > 1:
        raise BadListError(f"{len(values)} values instead of 1")
    return not values or NUMBER.read(values[0]) != 0.0


_READERS: Final[dict[str, tuple[str, Callable[[Sequence[str]], Any]]]] = {
    "setVisible": ("visible", _flag),
    "setTransparent": ("transparent", _flag),
    "sSc": ("scale", lambda values: _some_numbers(values, 3)),
    "sMat": ("materials", tuple),
    "resetMaterials": ("materials", tuple),
    "rgba": ("color", lambda values: _some_numbers(values, 4)),
}
_LIGHTS: Final = {"setDiffuse": 0, "setAmbient": 4, "setSpecular": 8}


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
    """Holds the contents of a graph, as in ``events.Scene``; ``unknown``: texts of attributes without meaning."""

    depths: list[int] = field(default_factory=list)
    matrices: Matrices = field(default_factory=Matrices)
    details: list[tuple[int, Detail]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class _Stretch(NamedTuple):
    """Holds what stands between two matrices.

    closed: how many lists end behind the matrix before, and behind each node but the one with the next matrix.
    details: of nodes, counted from the one behind the matrix before. opens: it ends where a matrix may begin.
    """

    closed: bytes
    details: tuple[tuple[int, Detail], ...]
    unknown: tuple[str, ...]
    opens: bool


class _Node(NamedTuple):
    """Holds a node but for its matrix; ``closed``: how many lists end behind it."""

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
    """Read what stands between two matrices, without their brackets; None where it is not known."""
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


ANY: Final = re.compile(r"\([^()]*\)?|\)|[^\s()]+")


def read_graph(text: str) -> Graph:
    """The nodes in ``text``, the roots side by side.

    Raises:
        BadListError: brackets do not pair, a node is nested too deeply, or a known attribute is not as it should be.
    """
    return read_quickly(text) or read_by_tokens(text)


def read_by_tokens(text: str) -> Graph:
    """Read as ``read_graph`` does, whatever stands where; attributes that hold lists come last."""
    graph = Graph()
    depths = graph.depths
    types: dict[int, str] = {}  # of the nodes with one that is not plain
    attributes: dict[int, list[str]] = {}  # of the nodes with some besides a matrix
    nested: list[str] = []
    opened: list[int] = []  # the nodes that we are in
    start = inside = 0  # of the attribute with lists that we are in; lists that are open in it
    for match in ANY.finditer(text):
        token = match[0]
        opens = token[0] == "(" and token[-1] != ")"
        if inside:
            inside += opens - (token == ")")
            if not inside:
                nested.append(text[start : match.end()])
        elif token == ")":
            if not opened:
                raise BadListError("')' without its '(' in the scene graph")
            opened.pop()
        elif token[:5] == "(SLT " and opened and not opens:
            graph.matrices.add(opened[-1], matrix(token))
        elif (kind := _type_of(token)) is not None:
            if kind not in PLAIN:
                types[len(depths)] = kind
            depths.append(len(opened))
            if len(depths) > MAX_NODES:
                raise BadListError(f"more than {MAX_NODES} nodes")
            if opens:
                opened.append(len(depths) - 1)
            if len(opened) > DEFAULT_MAX_DEPTH:
                raise BadListError(f"nodes nested deeper than {DEFAULT_MAX_DEPTH}")
        elif token[0] != "(" or not opened:
            raise BadListError(f"{excerpt(token.encode())!r} where a node should be")
        elif opens:
            start, inside = match.start(), 1
        else:
            attributes.setdefault(opened[-1], []).append(token)
    if opened:
        raise BadListError("'(' without its ')' in the scene graph")
    for index in sorted(types.keys() | attributes.keys()):
        found, others = detail(types.get(index, ""), attributes.get(index, ()))
        graph.details.append((index, found))
        graph.unknown += others
    graph.unknown = [*graph.unknown, *nested][:MAX_UNKNOWN]
    return graph


def _type_of(token: str) -> str | None:
    """The type in ``(nd TRF``, empty for ``(nd``; None for what is no node.

    Raises:
        BadListError: a node begins with more than a type.
    """
    if token[:3] != "(nd" or token[3:4] not in ("", ")", *" \t\n\r\f\v"):
        return None
    words = token.strip("()").split()
    if len(words) > 2:
        raise BadListError(f"{excerpt(token.encode())!r} is no node")
    return words[1] if len(words) == 2 else ""
