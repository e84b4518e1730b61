# SPDX-License-Identifier: Apache-2.0
"""Subtrees: other documents by name, with arguments, put in place while a document is read.

Arguments are filled in node by node as the walk comes by. What a document costs stays in proportion to the text
that it would be with all subtrees written out, and that is bounded.
"""

import re
from collections.abc import Mapping
from typing import Any

from embodiment_bridge.bml.conditions import Value
from embodiment_bridge.bml.reading import doubts
from embodiment_bridge.bml.reading.children import Child, Scope
from embodiment_bridge.bml.reading.condition_reader import scalar
from embodiment_bridge.bml.reading.drafts import Common, Draft
from embodiment_bridge.bml.reading.envelope import opened
from embodiment_bridge.bml.reading.fields import Fields, Raw
from embodiment_bridge.bml.reading.parse import parse
from embodiment_bridge.bml.reading.pointer import at, escaped
from embodiment_bridge.bml.reading.problems import Problems, short
from embodiment_bridge.core.unicode_text import is_unicode

PARAMETER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,63})\}")
ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
# Values that are no nodes, yet may have parameters inside.
_DEEP_KEYS = ("condition", "args")


class Subtrees:
    """The documents that may be named, as texts by name; each is parsed when it is first wanted."""

    def __init__(self, texts: Mapping[str, str | bytes]) -> None:
        self._texts = texts
        self._roots: dict[str, Child | None] = {}
        self._size = 0

    def open(
        self, raw: Raw, pointer: str, common: Common, scope: Scope | None, fields: Fields
    ) -> tuple[Draft, list[Child]]:
        """A subtree node, and the root of the document that it names."""
        ref = fields.text(raw, pointer, "ref", fields.limits.max_name, required=True)
        args = _arguments(raw, pointer, fields)
        extra = fields.extra(raw, pointer, "subtree")
        draft = Draft("subtree", pointer, common, False, False, extra, ref=ref, args=args)
        chain = scope.chain if scope is not None else ()
        if not ref or not self._may_open(ref, pointer, chain, fields):
            return draft, []
        below = f"{pointer}#{escaped(ref)}"
        if ref not in self._roots:
            self._roots[ref] = self._parsed(ref, below, fields)
        root = self._roots[ref]
        self._size += len(self._texts[ref])
        if self._size > fields.limits.max_expanded_bytes:
            text = f"with its subtrees the document has more than {fields.limits.max_expanded_bytes} bytes"
            fields.problems.error(pointer, "TOO_LARGE", text)
            return draft, []
        if root is None:
            return draft, []
        return draft, [Child(below + root.pointer, root.value, scope=Scope(args, (*chain, ref)))]

    def _may_open(self, ref: str, pointer: str, chain: tuple[str, ...], fields: Fields) -> bool:
        where = at(pointer, "ref")
        if ref not in self._texts:
            text = fields.problems.unknown("subtree", ref, self._texts)
            fields.problems.error(where, "UNKNOWN_SUBTREE", text)
        elif ref in chain:
            text = f"the subtree {short(ref)} is inside of itself: {' > '.join((*chain, ref))}"
            fields.problems.error(where, "SUBTREE_CYCLE", text)
        elif not is_unicode(ref) or len(pointer) + len(ref) > fields.limits.max_pointer:
            text = f"the pointers in the subtree have more than {fields.limits.max_pointer} characters"
            fields.problems.error(pointer, "TOO_LONG", text)
        else:
            return True
        return False

    def _parsed(self, ref: str, pointer: str, fields: Fields) -> Child | None:
        """The root of a document; what is wrong with its text is told where it is first wanted."""
        problems = Problems(strict=fields.problems.strict, most=fields.limits.max_problems)
        parsed = parse(self._texts[ref], problems, fields.limits)
        root = None
        if parsed is not None:
            if parsed.doubtful:
                doubts.find(parsed.value, problems, fields.limits)
            root, _ = opened(parsed.value, fields.with_problems(problems))
        for problem in problems.listing():
            fields.problems.add(pointer + problem.pointer, problem.code, problem.message, fatal=problem.fatal)
        return root


def _arguments(raw: Raw, pointer: str, fields: Fields) -> dict[str, Value]:
    args = raw.get("args", {})
    where = at(pointer, "args")
    if not isinstance(args, dict):
        fields.wrong_type(pointer, "args", args, "an object of values")
        return {}
    if len(args) > fields.limits.max_args:
        text = f"there are {len(args)} arguments, {fields.limits.max_args} is the limit"
        fields.problems.error(where, "BAD_ARGUMENT", text)
        return {}
    for name in args:
        if not ARGUMENT.fullmatch(name):
            text = f"{short(name)} is no name of an argument (a letter or '_', then letters, digits and '_')"
            fields.problems.error(where, "BAD_ARGUMENT", text)
    return {name: scalar(value, at(where, name), fields) for name, value in args.items()}


def filled_in(raw: Raw, pointer: str, scope: Scope, problems: Problems) -> Raw:
    """One node of a subtree with the arguments in place of ``${name}``; its children are left as they are."""
    filled = {key: _value(value, at(pointer, key), scope, problems) for key, value in raw.items()}
    for key in _DEEP_KEYS:
        if isinstance(raw.get(key), (dict, list)):
            filled[key] = _deep(raw[key], at(pointer, key), scope, problems)
    return filled


def _value(value: Any, pointer: str, scope: Scope, problems: Problems) -> Any:
    """A whole text ``${name}`` is replaced; a part of a text is not, so that nothing is ever put together."""
    if not isinstance(value, str):
        return value
    found = PARAMETER.fullmatch(value)
    if found is None:
        return value
    if found[1] not in scope.args:
        text = f"the subtree {short(scope.chain[-1])} needs the argument {short(found[1])}"
        problems.error(pointer, "MISSING_ARGUMENT", text)
        return value
    return scope.args[found[1]]


def _deep(value: Any, pointer: str, scope: Scope, problems: Problems) -> Any:
    """As ``_value``, for everything inside; nesting is bounded by the bracket depth of the text."""
    if isinstance(value, dict):
        return {key: _deep(inner, at(pointer, key), scope, problems) for key, inner in value.items()}
    if isinstance(value, list):
        return [_deep(inner, f"{pointer}/{i}", scope, problems) for i, inner in enumerate(value)]
    return _value(value, pointer, scope, problems)
