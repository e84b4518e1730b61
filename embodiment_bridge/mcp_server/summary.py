# SPDX-License-Identifier: Apache-2.0
"""Summarises a document for the person who has to agree to it, so that nothing is cut off unseen."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

WHOLE: Final = 2000  # characters of a document that is shown as it is
BEGINNING: Final = 150
# Keys whose values say what a node does. Their values are whole: what is left out could be what matters.
TELLING: Final = ("type", "action", "emotion", "expression", "ref", "url")
OF_ACTION: Final = ("parameters", "duration", "intensity", "args")  # told with it


def summary(document: Mapping[str, object]) -> str:
    """A short document itself; of a longer one its begin, and all that its nodes do, however long that is."""
    text = json.dumps(document, ensure_ascii=False)
    if len(text) <= WHOLE:
        return text
    named = "; ".join(
        f"{key}: {', '.join(sorted(values))}" for key, values in _values(document).items() if values
    )
    return f"a document of {len(text)} characters with {named}; it begins {text[:BEGINNING]}"


def _values(document: Mapping[str, object]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {key: set() for key in TELLING}
    for node in _objects(document):
        for key in TELLING:
            one = node.get(key)
            if isinstance(one, str):
                found[key].add(one if key in ("type", "url") else _with_details(one, node))
    return found


def _objects(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    left: list[object] = [document]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
            left += value.values()
        elif isinstance(value, list):
            left += value


def _with_details(name: str, node: Mapping[str, object]) -> str:
    details = {key: node[key] for key in OF_ACTION if key in node}
    return f"{name} {json.dumps(details, ensure_ascii=False)}" if details else name
