# SPDX-License-Identifier: Apache-2.0
"""Subtrees: other documents by name, with arguments, put in place while a document is read.

Arguments are filled in node by node as the walk comes by. What a document costs stays in proportion to the text
that it would be with all subtrees written out, and that is bounded.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from embodiment_bridge.bml.base.problems import Problems, at, escaped, short
from embodiment_bridge.bml.base.texts import ARGUMENT
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child, Reference, Scope
from embodiment_bridge.bml.reading import json_values
from embodiment_bridge.bml.reading.envelope import opened
from embodiment_bridge.bml.reading.json_values import parse
from embodiment_bridge.core.unicode_text import is_unicode

# Under these are nodes, which are filled in when the walk comes by.
_NODE_KEYS = frozenset({*CHILD_KEYS, "behavior", "finally"})


class Subtrees:
    """Holds the documents that may be named, as texts by name; each is parsed when first wanted."""

    def __init__(self, texts: Mapping[str, str | bytes]) -> None:
        self._texts = texts
        self._roots: dict[str, Child | None] = {}
        self._size = 0

    def open(
        self, reference: Reference, pointer: str, scope: Scope | None, values: Values
    ) -> tuple[Child, Scope] | None:
        """Return the root of the document that a subtree node at ``pointer`` names, and the scope of its nodes.

        None after noting why there is none.
        """
        ref = reference.ref
        chain = scope.chain if scope is not None else ()
        if not self._may_open(ref, pointer, chain, values):
            return None
        below = f"{pointer}#{escaped(ref)}"
        if ref not in self._roots:
            self._roots[ref] = self._parsed(ref, below, values)
        root = self._roots[ref]
        self._size += len(self._texts[ref])
        if self._size > values.limits.max_expanded_bytes:
            text = f"with its subtrees the document has more than {values.limits.max_expanded_bytes} bytes"
            values.problems.error(pointer, "TOO_LARGE", text)
            return None
        if root is None:
            return None
        return Child(below + root.pointer, root.value), Scope(reference.args, (*chain, ref))

    def _may_open(self, ref: str, pointer: str, chain: tuple[str, ...], values: Values) -> bool:
        where = at(pointer, "ref")
        if ref not in self._texts:
            text = values.problems.unknown("subtree", ref, self._texts)
            values.problems.error(where, "UNKNOWN_SUBTREE", text)
        elif ref in chain:
            text = f"the subtree {short(ref)} is inside of itself: {' > '.join((*chain, ref))}"
            values.problems.error(where, "SUBTREE_CYCLE", text)
        elif not is_unicode(ref) or len(pointer) + len(ref) > values.limits.max_pointer:
            text = f"the pointers in the subtree have more than {values.limits.max_pointer} characters"
            values.problems.error(pointer, "TOO_LONG", text)
        else:
            return True
        return False

    def _parsed(self, ref: str, pointer: str, values: Values) -> Child | None:
        """Return the root of a document; what is wrong with its text is told where it is first wanted."""
        problems = Problems(strict=values.problems.strict, most=values.limits.max_problems)
        parsed = parse(self._texts[ref], problems, values.limits)
        root = None
        if parsed is not None:
            if parsed.doubtful:
                json_values.find(parsed.value, problems, values.limits)
            root, _ = opened(parsed.value, values.with_problems(problems))
        for problem in problems.listing():
            where = pointer + problem.pointer
            values.problems.add(
                where, problem.code, problem.message, fatal=problem.fatal, place=problem.place
            )
        return root


def filled_in(raw: Raw, pointer: str, scope: Scope, problems: Problems) -> Raw:
    """Replace ``${name}`` in one node of a subtree by the arguments; its children stay as they are."""
    return {
        key: value if key in _NODE_KEYS else _deep(value, at(pointer, key), scope, problems)
        for key, value in raw.items()
    }


def open_arguments(raw: Raw, pointer: str, extra: Raw) -> Iterator[tuple[str, str]]:
    """Return the arguments in one node outside of any subtree, where nothing replaces them: pointers and names.

    ``extra`` has the keys that are not read.
    """
    for key, value in raw.items():
        may_have = value[:2] == "${" if isinstance(value, str) else isinstance(value, (dict, list))
        if may_have and key not in _NODE_KEYS and key not in extra and key != "name":
            yield from _arguments(value, at(pointer, key))


def _arguments(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        found = ARGUMENT.fullmatch(value)
        if found is not None:
            yield pointer, found[1]
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _arguments(inner, at(pointer, str(key)))


def _value(value: Any, pointer: str, scope: Scope, problems: Problems) -> Any:
    """Replace a whole text ``${name}``; a part of a text stays as it is, so that no text is put together."""
    if not isinstance(value, str):
        return value
    found = ARGUMENT.fullmatch(value)
    if found is None:
        return value
    if found[1] not in scope.args:
        text = f"the subtree {short(scope.chain[-1])} needs the argument {short(found[1])}"
        problems.error(pointer, "MISSING_ARGUMENT", text)
        return value
    return scope.args[found[1]]


def _deep(value: Any, pointer: str, scope: Scope, problems: Problems) -> Any:
    """Apply ``_value`` to everything inside; nesting is bounded by the bracket depth of the text."""
    if isinstance(value, dict):
        return {key: _deep(inner, at(pointer, key), scope, problems) for key, inner in value.items()}
    if isinstance(value, list):
        return [_deep(inner, f"{pointer}/{i}", scope, problems) for i, inner in enumerate(value)]
    return _value(value, pointer, scope, problems)
