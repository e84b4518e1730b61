# SPDX-License-Identifier: Apache-2.0
"""The problems of a document: their codes, and the JSON pointers (RFC 6901) that locate them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from embodiment_bridge.core.errors import unknown
from embodiment_bridge.core.unicode_text import is_unicode, one_line

LONGEST_TOKEN = 200  # characters of a key in a pointer; a key may be as long as the document


def escaped(token: str) -> str:
    """Return one step of a pointer as text: ``~`` is ``~0``, ``/`` is ``~1``."""
    return token.replace("~", "~0").replace("/", "~1")


def at(pointer: str, key: str) -> str:
    """Return the pointer of ``key`` in the object at ``pointer``; of the object when the key cannot be shown."""
    if len(key) > LONGEST_TOKEN or not is_unicode(key):
        return pointer
    return f"{pointer}/{escaped(key)}"


ERROR = "error"  # the document cannot be used
TOLERATED = "tolerated"  # error in strict mode, warning in tolerant mode
WARNING = "warning"

# Every code with what it is.
CODES: dict[str, str] = {
    # The text.
    "TOO_LARGE": ERROR,
    "NOT_UTF8": ERROR,
    "NOT_JSON": ERROR,
    "DUPLICATE_KEY": ERROR,
    "NOT_FINITE": ERROR,
    "LONE_SURROGATE": ERROR,
    "BYTE_ORDER_MARK": TOLERATED,
    "MARKDOWN_ESCAPE": TOLERATED,
    # Size and shape.
    "TOO_DEEP": ERROR,
    "TOO_MANY_NODES": ERROR,
    "TOO_MANY_CHILDREN": ERROR,
    "BOTH_CHILD_KEYS": ERROR,
    "ENVELOPE": TOLERATED,
    "OBJECT_CHILDREN": TOLERATED,
    "LOOP_CHILDREN": TOLERATED,
    "EMPTY_COMPOSITE": WARNING,
    # Keys and values.
    "MISSING_KEY": ERROR,
    "WRONG_TYPE": ERROR,
    "OUT_OF_RANGE": ERROR,
    "TOO_LONG": ERROR,
    "EMPTY_TEXT": ERROR,
    "UNKNOWN_TYPE": ERROR,
    "UNKNOWN_POLICY": ERROR,
    "BAD_ACTION": ERROR,
    "BAD_CHANNEL": ERROR,
    "UNKNOWN_OPERATOR": ERROR,
    "UNKNOWN_CONDITION_KEY": ERROR,
    "CONDITION_TOO_LARGE": ERROR,
    "BAD_KEY": ERROR,
    "BAD_WEIGHTS": ERROR,
    "REACTIVE_AND_RANDOM": ERROR,
    "REACTIVE_WITHOUT_CONDITION": WARNING,
    "UNKNOWN_SUBTREE": ERROR,
    "SUBTREE_CYCLE": ERROR,
    "MISSING_ARGUMENT": ERROR,
    "OPEN_PARAMETER": ERROR,
    "BAD_ARGUMENT": ERROR,
    "UNKNOWN_KEY": TOLERATED,
    "UNSUPPORTED_EXTENSION": ERROR,
    "UNSUPPORTED_VERSION": TOLERATED,
    "MISSING_TYPE": TOLERATED,  # always an error on a node without children
    "TYPE_SPELLING": TOLERATED,
    "POLICY_SPELLING": TOLERATED,
    "ACTION_SPELLING": TOLERATED,
    "BOOLEAN_SPELLING": TOLERATED,
    "ALIAS_KEY": TOLERATED,
    "LOOP_MISSING": TOLERATED,
    "LOOP_ZERO": TOLERATED,
    "LOOP_AND_REPEAT": TOLERATED,  # always an error when the two differ
    "DURATION_MISSING": TOLERATED,
    "SELECTOR_POLICY": WARNING,
    "VOLUME_SCALE": WARNING,
    # Against a body (checker).
    "UNKNOWN_ACTION": ERROR,  # body actions: a warning on request; player actions are checked on reading
    "UNKNOWN_PARAMETER": ERROR,
    "MISSING_PARAMETER": ERROR,
    "BAD_PARAMETER": ERROR,
    "UNRESOLVED_SPEAK": ERROR,
    "CHANNEL_NOT_ALLOWED": ERROR,
    "URL_REFUSED": ERROR,
    "MISSING_CHANNEL": WARNING,
    "SLOT_TOO_SHORT": WARNING,
    "UNKNOWN_TARGET": WARNING,
    "START_OUTSIDE_PARALLEL": ERROR,
    "UNKNOWN_START": ERROR,
    "UNKNOWN_MARK": WARNING,
    # How it will run (analysis).
    "UNREACHABLE": WARNING,
    "FOREVER_WITHOUT_EXIT": WARNING,
    "BUSY_FOREVER": WARNING,
    "CHANNEL_CONFLICT": WARNING,
    # The list itself.
    "MORE_PROBLEMS": WARNING,  # an error when one of those not listed is
}

HINTS = 50  # a nearest name costs up to a millisecond: no more than this many in one list


@dataclass(frozen=True, slots=True)
class Problem:
    """Describes one error (``fatal``) or doubt at a JSON pointer of a document; ``code`` is UPPER_SNAKE.

    place: line and column (from 1) in the text; empty if there is no text, or the pointer leads into a subtree.
    """

    pointer: str
    code: str
    message: str
    fatal: bool = True
    place: tuple[int, int] | tuple[()] = field(default=(), compare=False)

    def __str__(self) -> str:
        place = " (line {} column {})".format(*self.place) if self.place else ""
        return one_line(f"{self.pointer}: {self.code}: {self.message}{place}")


class Problems:
    """Collects problems in the order in which they are found; keeps at most ``most`` and counts the rest."""

    def __init__(self, *, strict: bool = False, most: int = 1000) -> None:
        self.strict = strict
        self.fatal = False
        self._most = most
        self._kept: list[Problem] = []
        self._more = 0
        self._more_fatal = False
        self._hints = 0

    @property
    def full(self) -> bool:
        """Whether no more problems are kept."""
        return len(self._kept) >= self._most

    def add(
        self, pointer: str, code: str, message: str, *, fatal: bool, place: tuple[int, int] | tuple[()] = ()
    ) -> None:
        """Note one problem."""
        self.fatal = self.fatal or fatal
        if self.full:
            self._more += 1
            self._more_fatal = self._more_fatal or fatal
        else:
            self._kept.append(Problem(pointer, code, message, fatal, place))

    def error(self, pointer: str, code: str, message: str, place: tuple[int, int] | tuple[()] = ()) -> None:
        """Note what makes the document unusable."""
        self.add(pointer, code, message, fatal=True, place=place)

    def warning(self, pointer: str, code: str, message: str) -> None:
        """Note what is doubtful in either mode."""
        self.add(pointer, code, message, fatal=False)

    def tolerated(self, pointer: str, code: str, message: str) -> None:
        """Note a form that strict reading refuses and tolerant reading rewrites."""
        self.add(pointer, code, message, fatal=self.strict)

    def unknown(self, kind: str, value: str, choices: Iterable[str]) -> str:
        """Return the message for a name that is none of ``choices``, with the nearest one while hints last."""
        self._hints += 1
        if self._hints > HINTS:
            return f"unknown {kind} {short(value)}"
        return unknown(kind, value[:SHORT], choices)

    def listing(self) -> list[Problem]:
        """Return the problems kept, and one that counts the others."""
        if not self._more:
            return list(self._kept)
        text = f"{self._more} more problems are not listed"
        return [*self._kept, Problem("", "MORE_PROBLEMS", text, self._more_fatal)]


SHORT = 60  # characters of a bad value that a message quotes


def short(value: object) -> str:
    """Return a quote of a JSON value for a message; of a long text only the beginning."""
    if isinstance(value, str):
        return repr(value) if len(value) <= SHORT else repr(value[:SHORT]) + "..."
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = json.dumps(value)
    return text if len(text) <= SHORT else f"a number of {len(text)} characters"
