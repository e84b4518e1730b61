# SPDX-License-Identifier: Apache-2.0
"""Named values that conditions look at.

Written from outside between ticks and by ``set`` nodes, and read from ``NAME=VALUE`` as people write them.
"""

import json
import math
from collections.abc import Iterable, Mapping

from embodiment_bridge.bml.base.conditions import KEY, LARGEST, Value, same
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.unicode_text import is_unicode


def value_of(key: str, text: str) -> Value:
    """Return a boolean, number, text or null of JSON.

    Raises:
        CommandError: the text is none of these.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        value = ()
    if (
        value is None
        or isinstance(value, (bool, int, float))
        or (isinstance(value, str) and is_unicode(value))
    ):
        return value
    raise CommandError(f'value of {key!r:.80} is {text!r:.80}, not true, false, null, a number or a "text"')


def values_of(pairs: Iterable[tuple[str, str]]) -> dict[str, Value]:
    """Return the values by key.

    Raises:
        CommandError: see ``value_of``.
    """
    return {key: value_of(key, text) for key, text in pairs}


def _refuse(constant: str) -> None:
    raise ValueError(constant)


MAX_KEYS = 1000
MAX_TEXT = 4000  # characters


class Blackboard:
    """Holds at most ``MAX_KEYS`` booleans, numbers and texts by key; a missing key has the value None.

    Values stay as they were last written: what feeds it from a topic decides when a value is too old and
    takes it away with None. ``version`` changes with every change of a value.
    """

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self.version = 0
        self._values: dict[str, Value] = {}
        for key, value in (values or {}).items():
            self.write(key, value)

    def read(self, key: str) -> Value:
        """Return the value of ``key``, None when there is none."""
        return self._values.get(key)

    def write(self, key: str, value: Value) -> None:
        """Set a value; None takes the key away.

        Raises:
            CommandError: the key or the value is not a valid one, or there is no room for another key.
        """
        if not isinstance(key, str) or not KEY.fullmatch(key):
            text = "(a letter or '_', then at most 127 letters, digits and '_ . / -')"
            raise CommandError(f"{key!r:.80} is not a key of a blackboard {text}")
        _check(key, value)
        found = self._values.get(key)
        if same(found, value):
            return
        if value is None:
            del self._values[key]
        elif found is None and len(self._values) >= MAX_KEYS:
            raise CommandError(f"no room for {key!r}: a blackboard has at most {MAX_KEYS} keys")
        else:
            self._values[key] = value
        self.version += 1

    def values(self) -> dict[str, Value]:
        """Return a copy of everything on it."""
        return dict(self._values)


def _check(key: str, value: object) -> None:
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise CommandError(f"{key!r}: a text has at most {MAX_TEXT} characters, not {len(value)}")
        return
    if value is None or isinstance(value, bool):
        return
    if not isinstance(value, (int, float)):
        kind = type(value).__name__
        raise CommandError(f"{key!r}: a value is a boolean, a number, a text or None, not a {kind}")
    fits = abs(value) <= LARGEST if isinstance(value, int) else math.isfinite(value)
    if not fits:
        raise CommandError(f"{key!r}: a number is finite, and a whole one at most {LARGEST}")
