# SPDX-License-Identifier: Apache-2.0
"""Reads JSON from bytes within limits of size and nesting, and locates what JSON or Unicode does not allow.

``json.loads`` alone takes NaN, 1e999, repeated keys and lone surrogates, and raises RecursionError when the
input is deep.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.problems import LONGEST_TOKEN, Problems, escaped, short
from embodiment_bridge.bml.reading.syntax import without_slips
from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded, is_unicode

# The steps from the value back to the root: a text each would be quadratic
Trail: TypeAlias = "tuple[Trail, str] | None"


def find(value: object, problems: Problems, limits: Limits) -> None:
    """Note every repeated key, number that is not finite and lone surrogate, in the order of the text.

    Ends early when the list of problems is full: there can be a hundred thousand in a document.
    """
    todo: list[tuple[Trail, object]] = [(None, value)]
    while todo and not problems.full:
        trail, value = todo.pop()
        if isinstance(value, dict):
            _look_at_keys(trail, value, problems, limits)
            todo.extend([((trail, key), inner) for key, inner in value.items()][::-1])
        elif isinstance(value, list):
            todo.extend([((trail, str(i)), inner) for i, inner in enumerate(value)][::-1])
        elif isinstance(value, float) and not math.isfinite(value):
            text = f"{short(value)} is not a number that JSON or a double can hold"
            problems.error(pointer_of(trail, limits), "NOT_FINITE", text)
        elif isinstance(value, str) and not is_unicode(value):
            text = f"{short(value)} has a lone surrogate, which is no Unicode character"
            problems.error(pointer_of(trail, limits), "LONE_SURROGATE", text)


def _look_at_keys(trail: Trail, value: dict[str, object], problems: Problems, limits: Limits) -> None:
    if isinstance(value, RepeatedKeys):
        for key in value.repeated:
            text = f"the key {short(key)} stands more than once in its object"
            problems.error(pointer_of((trail, key), limits), "DUPLICATE_KEY", text)
    for key in value:
        if not is_unicode(key):
            text = f"the key {short(key)} has a lone surrogate, which is no Unicode character"
            problems.error(pointer_of(trail, limits), "LONE_SURROGATE", text)


def pointer_of(trail: Trail, limits: Limits) -> str:
    """Return the pointer of a trail, or of its last container that a pointer of bounded length can name."""
    steps: list[str] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    pointer = ""
    for step in reversed(steps):
        longer = f"{pointer}/{escaped(step)}"
        if len(step) > LONGEST_TOKEN or len(longer) > limits.max_pointer or not is_unicode(step):
            break
        pointer = longer
    return pointer


LONGEST_INTEGER = 400  # digits; a double has at most 309, and long integers parse in square time

_LONG_INTEGER = re.compile(rb"\d{%d}" % (LONGEST_INTEGER + 1))
_BOM = "\ufeff"
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_MARKDOWN_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_KIND = bytes.maketrans(b"[{]}", b"(())")
_STEP = {ord("("): 1, ord(")"): -1}


class RepeatedKeys(dict[str, object]):
    """Represents an object in which keys stood more than once; the last value of each counts."""

    repeated: list[str]


@dataclass(frozen=True, slots=True)
class Parsed:
    """Holds a JSON value; ``doubtful`` if ``doubts.find`` should look for what JSON or Unicode does not allow.

    text: what it was read from, with slips mended in place.
    """

    value: object
    text: str
    doubtful: bool


def parse(text: bytes | str, problems: Problems, limits: Limits) -> Parsed | None:
    """Return the JSON value of ``text``, or None after noting why there is none."""
    whole = _decoded(text, problems, limits)
    if whole is None:
        return None
    if whole.startswith(_BOM):
        problems.tolerated("", "BYTE_ORDER_MARK", "the text begins with a byte order mark")
        whole = whole[1:]
    marks = _outside_texts(whole.encode(errors="surrogatepass"))
    return None if _is_too_deep(marks, problems, limits) else _loaded(whole, marks, problems, limits)


def _is_too_deep(marks: bytes, problems: Problems, limits: Limits) -> bool:
    depth = _depth(marks)
    if depth > limits.max_brackets:
        message = f"brackets are nested {depth} deep, {limits.max_brackets} is the limit"
        problems.error("", "TOO_DEEP", message)
    return depth > limits.max_brackets


def _decoded(text: bytes | str, problems: Problems, limits: Limits) -> str | None:
    size = len(text)
    if isinstance(text, str) and size <= limits.max_bytes:
        size = len(text.encode(errors="surrogatepass"))
    if size > limits.max_bytes:
        message = f"the text has at least {size} bytes, {limits.max_bytes} is the limit"
        problems.error("", "TOO_LARGE", message)
        return None
    if isinstance(text, str):
        return text
    try:
        return decoded(text)
    except NotUtf8Error as error:
        problems.error("", "NOT_UTF8", str(error))
        return None


def bracket_depth(data: bytes) -> int:
    """Count how deep brackets nest in JSON text, strings left out (exact for valid JSON, never raises)."""
    return _depth(_outside_texts(data))


def _outside_texts(data: bytes) -> bytes:
    """Return the parts of a JSON text between its strings."""
    unescaped = _ESCAPE.sub(b"", data) if b"\\" in data else data
    return b"".join(unescaped.split(b'"')[::2])


def _depth(marks: bytes) -> int:
    brackets = marks.translate(_KIND, _NO_BRACKETS)
    flat = brackets.replace(b"()", b"")  # pairs with nothing inside, which are most: one level less
    return max(accumulate(map(_STEP.__getitem__, flat), initial=0)) + (flat != brackets)


def _loaded(text: str, marks: bytes, problems: Problems, limits: Limits) -> Parsed | None:
    hooks = _Hooks(marks)
    try:
        try:
            value = hooks.loads(text)
        except json.JSONDecodeError as error:
            plain = _without_markdown(text) if error.msg.startswith("Invalid \\escape") else text
            mended = without_slips(plain, problems)
            if _is_too_deep(_outside_texts(mended.encode(errors="surrogatepass")), problems, limits):
                return None
            value = hooks.loads(mended)
            if plain != text:
                problems.tolerated("", "MARKDOWN_ESCAPE", "'\\_' is a Markdown escape, read as '_'")
            text = mended
    except json.JSONDecodeError as error:
        problems.error("", "NOT_JSON", error.msg, (error.lineno, error.colno))
        return None
    except RecursionError:  # only with limits wider than the default ones
        problems.error("", "TOO_DEEP", "brackets are nested deeper than the parser can follow")
        return None
    doubtful = hooks.doubtful or _SURROGATE_ESCAPE.search(text) is not None or not is_unicode(text)
    return Parsed(value, text, doubtful)


def _without_markdown(text: str) -> str:
    """Return the text with Markdown's escaped underscores as plain ones; JSON has no such escape."""
    return _MARKDOWN_ESCAPE.sub(lambda found: "_" if found[1] == "_" else found[0], text)


class _Hooks:
    """Hooks of ``json`` for values that JSON does not allow; they stay in place for ``doubts`` to find."""

    def __init__(self, marks: bytes) -> None:
        self.doubtful = False
        self._keys = marks.count(b":")
        self._long_integers = _LONG_INTEGER.search(marks) is not None

    def loads(self, text: str) -> object:
        """Return the value of the text.

        The hooks that look at every pair and integer are for texts that need them.
        """
        if not self._long_integers:
            sizes: list[int] = []

            def counted(value: dict[str, object]) -> dict[str, object]:
                sizes.append(len(value))
                return value

            value: object = json.loads(
                text, object_hook=counted, parse_float=self._float, parse_constant=self._constant
            )
            if sum(sizes) == self._keys:
                return value
        return json.loads(
            text,
            object_pairs_hook=self._pairs,
            parse_float=self._float,
            parse_int=self._int,
            parse_constant=self._constant,
        )

    def _pairs(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        self.doubtful = True
        repeating = RepeatedKeys(value)
        repeating.repeated = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
        return repeating

    def _float(self, digits: str) -> float:
        value = float(digits)
        if math.isinf(value):
            self.doubtful = True
        return value

    def _int(self, digits: str) -> int | float:
        if len(digits) <= LONGEST_INTEGER:
            return int(digits)
        self.doubtful = True
        return math.inf

    def _constant(self, name: str) -> float:
        self.doubtful = True
        return float(name)
