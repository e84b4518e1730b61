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


def read_graph(text: str) -> Graph:
    """The nodes in ``text``, the roots side by side.

    Raises:
        BadListError: brackets do not pair, a node is nested too deeply, or a known attribute is not as it should be.
    """
    return read_quickly(text) or read_by_tokens(text)


def read_by_tokens(text: str) -> Graph:
    """As ``read_graph``, whatever stands where; the attributes that hold lists, of which none is known, come last."""
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
