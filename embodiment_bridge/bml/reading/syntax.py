# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a document as people write it: what is no JSON there, and where its values stand.

Every pattern takes time in proportion to the text, whatever the text is.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from embodiment_bridge.bml.base.problems import Problem, Problems, escaped

MOST_SLIPS: Final = 1000  # of a kind; a text with more is no JSON
_STRING: Final = r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)'
_SLIPS: Final = re.compile(
    rf"{_STRING}"
    r"|(?P<comment>//[^\n]*+|\#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))"
    r"|(?P<quotes>[\u201c-\u201f\u00ab\u00bb][^\u201c-\u201f\u00ab\u00bb\"\n]*+[\u201c-\u201f\u00ab\u00bb])"
    r"|(?P<comma>,(?=\s*+[\]}]))",
    re.DOTALL,
)
_NO_LINE_END: Final = re.compile(r"[^\n]")
_SENTENCES: Final = {
    "comment": "JSON has no comments: delete it, or write it as the 'name' of a node",
    "quotes": 'typographic quotes round a text: write the straight ones, "',
    "comma": "a comma behind the last value: delete it",
}
_TOKEN: Final = re.compile(rf"{_STRING}|[\[\]{{}},]|[^\s\[\]{{}},:\"]++", re.DOTALL)


def without_slips(text: str, problems: Problems) -> str:
    """Return the text without comments, typographic quotes and commas too many, each noted; the rest stays in place."""
    for kind in _SENTENCES:  # a comma may stand before a comment that is before a bracket
        of_kind = (found for found in _SLIPS.finditer(text) if found.lastgroup == kind)
        slips = list(islice(of_kind, MOST_SLIPS))
        places = line_and_column(text, [found.start() for found in slips])
        parts, end = [], 0
        for found in slips:
            slip = found[0]
            problems.error("", "NOT_JSON", _SENTENCES[kind], places[found.start()])
            mended = f'"{slip[1:-1]}"' if kind == "quotes" else _NO_LINE_END.sub(" ", slip)
            parts += [text[end : found.start()], mended]
            end = found.end()
        text = "".join([*parts, text[end:]])
    return text


def line_and_column(text: str, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return line and column, from 1, of each offset; the offsets are sorted."""
    places: dict[int, tuple[int, int]] = {}
    line, begin, seen = 1, 0, 0
    for offset in offsets:
        if lines := text.count("\n", seen, offset):
            line, begin = line + lines, text.rindex("\n", seen, offset) + 1
        seen = offset
        places[offset] = line, offset - begin + 1
    return places


def located(problems: Iterable[Problem], text: str) -> list[Problem]:
    """Return the problems with line and column of what their pointers name; one in a subtree is not in ``text``."""
    listed = list(problems)
    if not listed:
        return listed
    offsets = _offsets(text, {problem.pointer for problem in listed if problem.pointer and not problem.place})
    places = line_and_column(text, sorted(offsets.values()))
    return [
        replace(problem, place=places[offsets[problem.pointer]])
        if not problem.place and problem.pointer in offsets
        else problem
        for problem in listed
    ]


class _Wanted(dict[str, "_Wanted"]):
    """Holds the values inside one that pointers lead to, by key or index as in a pointer."""

    pointer: str | None = None


@dataclass(slots=True)
class _Container:
    """Represents an object or array that is not closed yet: the values wanted in it, and in the next one."""

    wanted: _Wanted | None
    is_object: bool
    index: int = 0
    at_key: bool = True
    inner: _Wanted | None = None

    def next(self) -> _Wanted | None:
        """Return the places wanted inside the value that begins now."""
        if self.is_object:
            return self.inner
        return None if self.wanted is None else self.wanted.get(str(self.index))


def _offsets(text: str, pointers: Iterable[str]) -> dict[str, int]:
    """Return where the keys, or elements of arrays, stand that the pointers name; ``text`` is JSON."""
    root = _Wanted()
    for pointer in pointers:
        wanted = root
        for step in pointer.split("/")[1:]:
            wanted = wanted.setdefault(step, _Wanted())
        wanted.pointer = pointer
    offsets: dict[str, int] = {}
    open_ones: list[_Container] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        top = open_ones[-1] if open_ones else None
        if token in "]}":
            del open_ones[-1:]
        elif token == "," and top:
            top.index, top.at_key = top.index + 1, True
        else:
            is_key = top is not None and top.is_object and top.at_key
            if top is not None and is_key:
                key = escaped(json.loads(token, strict=False)) if top.wanted else ""
                top.at_key, top.inner = False, top.wanted.get(key) if top.wanted else None
            wanted_now = top.next() if top is not None else root
            if wanted_now is not None and wanted_now.pointer is not None:
                offsets.setdefault(wanted_now.pointer, found.start())
            if token in "[{":
                open_ones.append(_Container(wanted_now, token == "{"))
    return offsets
