# SPDX-License-Identifier: Apache-2.0
"""What a document does, in a text that a person can agree to: nothing may hide behind its end."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

WHOLE: Final = 300  # characters of a document that is shown as it is
BEGINNING: Final = 150
MOST_NAMES: Final = 40
LONGEST_NAME: Final = 30
TELLING: Final = ("type", "action", "url", "name")  # keys whose values say what a node does


def summary(document: Mapping[str, object]) -> str:
    """A short document itself; of a longer one its begin, and all that its nodes do and name."""
    text = json.dumps(document, ensure_ascii=False)
    if len(text) <= WHOLE:
        return text
    named = "; ".join(f"{key}: {_listed(values)}" for key, values in _values(document).items() if values)
    return f"a document of {len(text)} characters with {named}; it begins {text[:BEGINNING]}"


def _values(document: Mapping[str, object]) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {key: {} for key in TELLING}
    left: list[object] = [document]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            for key, one in value.items():
                if key in found and isinstance(one, str):
                    found[key][one[:LONGEST_NAME]] = None
            left += value.values()
        elif isinstance(value, list):
            left += value
    return found


def _listed(names: Iterable[str]) -> str:
    ordered = sorted(names)
    more = len(ordered) - MOST_NAMES
    return ", ".join(ordered[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
