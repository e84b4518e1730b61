# SPDX-License-Identifier: Apache-2.0
"""Values of the blackboard as people write them: ``NAME=VALUE``, the value as JSON."""

import json
from collections.abc import Iterable

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.unicode_text import is_unicode


def value_of(key: str, text: str) -> Value:
    """A boolean, number, text or null of JSON.

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
    """Values by key.

    Raises:
        CommandError: see ``value_of``.
    """
    return {key: value_of(key, text) for key, text in pairs}


def _refuse(constant: str) -> None:
    raise ValueError(constant)
