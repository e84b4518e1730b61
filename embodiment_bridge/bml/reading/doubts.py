# SPDX-License-Identifier: Apache-2.0
"""Where in a parsed text the things are that ``json`` takes and JSON or Unicode does not allow."""

import math
from typing import TypeAlias

from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.pointer import LONGEST_TOKEN, escaped
from embodiment_bridge.bml.base.problems import Problems, short
from embodiment_bridge.bml.reading.parse import RepeatedKeys
from embodiment_bridge.core.unicode_text import is_unicode

Trail: TypeAlias = (
    "tuple[Trail, str] | None"  # the steps from the value back to the root: a text each would be quadratic
)


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
    """The pointer of a trail, or of its last container that a pointer of bounded length can name."""
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
