# SPDX-License-Identifier: Apache-2.0
"""Texts ``${name}`` that are left: the document has arguments, so it can only be run as a subtree of another one."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from embodiment_bridge.bml.base.arguments import ARGUMENT
from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import Problems
from embodiment_bridge.bml.nodes.node import Node

_NOT_WRITTEN = frozenset({"pointer", "name", "extra", "kind"})
_WITHOUT_TEXT = frozenset({"class", "bool", "int", "float", "None", "tuple"})
_KEYS: dict[str, tuple[str, ...]] = {}  # by the name of the class
_WORD = re.compile(r"\w+")


def check_arguments(node: Node, problems: Problems) -> None:
    """Note each argument that nothing was put in place of."""
    for key in _keys(type(node)):
        for pointer, name in _left(getattr(node, key), at(node.pointer, key)):
            text = (
                f"the argument {name!r} is not given; a document with arguments is run as a subtree: "
                f'{{"type": "subtree", "ref": ..., "args": {{"{name}": ...}}}}'
            )
            problems.error(pointer, "OPEN_PARAMETER", text)


def may_have_arguments(kind: type[Node]) -> bool:
    """Whether a node of this class can have texts that it was given."""
    return bool(_keys(kind))


def _keys(kind: type[Node]) -> tuple[str, ...]:
    """The fields that may have texts."""
    if kind.__name__ not in _KEYS:
        _KEYS[kind.__name__] = _found_keys(kind)
    return _KEYS[kind.__name__]


def _found_keys(kind: type[Node]) -> tuple[str, ...]:
    words = {one.name: set(_WORD.findall(str(one.type))) for one in fields(kind)}
    return tuple(
        key
        for key, found in words.items()
        if key not in _NOT_WRITTEN and "Node" not in found and not found <= _WITHOUT_TEXT
    )


def _left(value: object, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        found = ARGUMENT.fullmatch(value) if value.startswith("${") else None
        if found is not None:
            yield pointer, found[1]
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _left(inner, at(pointer, str(key)))
    elif isinstance(value, tuple):
        for i, inner in enumerate(value):
            yield from _left(inner, f"{pointer}/{i}")
    elif is_dataclass(value) and not isinstance(value, (Node, type)):
        for one in fields(value):
            yield from _left(getattr(value, one.name), at(pointer, one.name))
