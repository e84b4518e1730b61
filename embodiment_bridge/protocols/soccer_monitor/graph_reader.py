# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a scene graph without recursion, and the flat lists inside its nodes.

Tokens are not brackets and words but whole lists without lists in them, ``(SLT 1 0 ...)`` or ``(nd)``, the beginning of
one that holds lists, ``(nd TRF``, or its end. What servers really send is read in a quicker way (quick_graph.py).
"""

import re
from typing import Final

from embodiment_bridge.protocols.soccer.list_fields import BadListError
from embodiment_bridge.protocols.soccer_monitor.node_details import detail, matrix
from embodiment_bridge.protocols.soccer_monitor.quick_graph import (
    MAX_NODES,
    MAX_UNKNOWN,
    PLAIN,
    Graph,
    read_quickly,
)
from embodiment_bridge.wire.codec import excerpt
from embodiment_bridge.wire.sexpr import DEFAULT_MAX_DEPTH

ANY: Final = re.compile(r"\([^()]*\)?|\)|[^\s()]+")
# How the servers begin a node, and what type that is
_OPENED: Final = {
    "(nd": "",
    "(nd TRF": "TRF",
    "(nd TRF ": "TRF",
    "(nd BN ": "BN",
    "(nd StaticMesh ": "StaticMesh",
    "(nd SMN ": "SMN",
    "(nd DSC": "DSC",
    "(nd Light ": "Light",
    "(nd StaticMesh)": "StaticMesh",
    "(nd SMN)": "SMN",
}


def read_graph(text: str) -> Graph:
    """The nodes in ``text``, the roots side by side.

    Raises:
        BadListError: brackets do not pair, a node is nested too deeply, or a known attribute is not as it should be.
    """
    try:
        return read_quickly(text) or _read(text)
    except _NestedAttributeError:
        flat, nested = _cut_nested(text)
        graph = _read(flat)
        graph.unknown += nested[: MAX_UNKNOWN - len(graph.unknown)]
        return graph


class _NestedAttributeError(Exception):
    """An attribute of a node holds lists; none that is known does."""


def _read(text: str) -> Graph:
    graph = Graph()
    depths = graph.depths
    types: dict[int, str] = {}  # of the nodes with one that is not plain
    attributes: dict[int, list[str]] = {}  # of the nodes with some besides a matrix
    opened: list[int] = []  # the nodes that we are in
    for token in ANY.findall(text):
        if token == "(nd)":
            depths.append(len(opened))
        elif token == ")":
            if not opened:
                raise BadListError("')' without its '(' in the scene graph")
            opened.pop()
        elif token[:5] == "(SLT " and opened and token[-1] == ")":
            graph.matrices.add(opened[-1], matrix(token))
        elif (kind := _OPENED.get(token)) is not None or (kind := _type_of(token)) is not None:
            index = len(depths)
            depths.append(len(opened))
            if kind not in PLAIN:
                types[index] = kind
            if token[-1] != ")":
                opened.append(index)
                if len(opened) > DEFAULT_MAX_DEPTH:
                    raise BadListError(f"nodes nested deeper than {DEFAULT_MAX_DEPTH}")
        elif token[0] != "(" or not opened:
            raise BadListError(f"{excerpt(token.encode())!r} where a node should be")
        elif token[-1] != ")":
            raise _NestedAttributeError
        else:
            attributes.setdefault(opened[-1], []).append(token)
        if len(depths) > MAX_NODES:
            raise BadListError(f"more than {MAX_NODES} nodes")
    if opened:
        raise BadListError("'(' without its ')' in the scene graph")
    _add_details(graph, types, attributes)
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


def _cut_nested(text: str) -> tuple[str, list[str]]:
    """The text without the attributes that hold lists, and these."""
    kept, nested = [], []
    start, depth, done = (
        0,
        0,
        0,
    )  # of the attribute that we are in, lists that are open in it; what has been kept
    for match in ANY.finditer(text):
        token = match[0]
        if depth:
            depth += (token == ")") * -1 + (token[0] == "(" and token[-1] != ")")
            if not depth:
                nested.append(text[start : match.end()])
                done = match.end()
        elif token[0] == "(" and token[-1] != ")" and _type_of(token) is None:
            kept.append(text[done : match.start()])
            start, depth = match.start(), 1
    if depth:
        raise BadListError("'(' without its ')' in the scene graph")
    return " ".join([*kept, text[done:]]), nested


def _add_details(graph: Graph, types: dict[int, str], attributes: dict[int, list[str]]) -> None:
    for index in sorted(types.keys() | attributes.keys()):
        found, others = detail(types.get(index, ""), attributes.get(index, ()))
        graph.details.append((index, found))
        graph.unknown += others[: MAX_UNKNOWN - len(graph.unknown)]
