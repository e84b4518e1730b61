# SPDX-License-Identifier: Apache-2.0
"""Checks a document against a body.

Actions, slots, URLs, text that must be spoken, and arguments ``${name}`` that are not given.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from embodiment_bridge.bml.base.problems import Problem, Problems, at
from embodiment_bridge.bml.base.texts import ARGUMENT
from embodiment_bridge.bml.nodes.node import Document, Node, preorder
from embodiment_bridge.bml.nodes.node_type import NodeType, Skills, Surroundings
from embodiment_bridge.bml.nodes.registry import TYPES
from embodiment_bridge.bml.rules.url_policy import UrlPolicy, url_refusal

# Texts ``${name}`` that are left: the document has arguments, so it can only be run as a subtree of another one.

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


# Most nodes of most documents have nothing to be checked.
_CHECKED = {name: found for name, found in TYPES.items() if type(found).check is not NodeType.check}
_HEARD = {name: found for name, found in TYPES.items() if type(found).is_heard is not NodeType.is_heard}
_WITH_TEXTS = frozenset(name for name, found in TYPES.items() if may_have_arguments(found.made))
_TOGETHER = frozenset(name for name, found in TYPES.items() if found.begins_together)


def check(
    document: Document,
    skills: Skills,
    *,
    speech: bool = False,
    urls: UrlPolicy = UrlPolicy(),  # noqa: B008 - frozen
    skip_unknown: bool = False,
) -> list[Problem]:
    """Everything in a document that a body cannot do, in the order of the text.

    Args:
        document: as ``read`` gives it.
        skills: what the body can do, by name; the skill of an action is its lower case.
        speech: whether text can become sound here; else it must have been replaced before.
        urls: which URLs are allowed.
        skip_unknown: an unknown action is a warning (it will be skipped), not an error.
    """
    names: set[str] = set()
    sounds: dict[str, Node] = {}
    begun_together: set[int] = set()
    looked_at: list[Node] = []
    for node in preorder(document.root):
        kind = node.type_name
        if node.name:
            names.add(node.name)
            if kind in _HEARD and _HEARD[kind].is_heard(node):
                sounds[node.name] = node
        if kind in _TOGETHER:
            begun_together.update(map(id, node.below))
        if kind in _CHECKED or kind in _WITH_TEXTS:
            looked_at.append(node)
    surroundings = Surroundings(
        skills=skills,
        skip_unknown=skip_unknown,
        speech=speech,
        url_refusal=lambda url: url_refusal(url, urls),
        names=names,
        sounds=sounds,
        begun_together=begun_together,
    )
    problems = Problems()
    for node in looked_at:
        check_arguments(node, problems)
        found = _CHECKED.get(node.type_name)
        if found is not None:
            found.check(node, surroundings, problems)
    return problems.listing()
