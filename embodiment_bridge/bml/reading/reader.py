# SPDX-License-Identifier: Apache-2.0
"""Reading a BML document: text in, the canonical tree and everything that is wrong or doubtful out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.problems import Problem, Problems
from embodiment_bridge.bml.fields.values import Values
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.bml.reading import doubts
from embodiment_bridge.bml.reading.envelope import opened
from embodiment_bridge.bml.reading.normalise import normalise
from embodiment_bridge.bml.reading.parse import parse
from embodiment_bridge.bml.reading.subtrees import Subtrees
from embodiment_bridge.core.errors import ConfigError, unknown

FULL_VOLUME = {"percent": 100.0, "unit": 1.0}


@dataclass(frozen=True, slots=True)
class Result:
    """The result of reading: the document (None when a problem is fatal) and all problems, about in text order.

    At most ``Limits.max_problems`` problems, and one more that counts the others.
    """

    document: Document | None
    problems: list[Problem]


def read(
    text: bytes | str,
    *,
    strict: bool = False,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    volume_scale: str = "percent",
    subtrees: Mapping[str, str | bytes] | None = None,
) -> Result:
    """Read a document; bad input never raises, it is a fatal problem.

    Args:
        text: JSON, as bytes (UTF-8) or text.
        strict: refuse the forms that are else rewritten with a warning.
        limits: bounds of size, nesting and values.
        volume_scale: ``percent`` when the document's volumes are 0 to 100, ``unit`` when they are 0 to 1; it
            is never guessed. The canonical tree has percent in either case.
        subtrees: texts of the documents that nodes of type ``subtree`` may name.

    Raises:
        ConfigError: ``volume_scale`` is something else.
    """
    if volume_scale not in FULL_VOLUME:
        raise ConfigError(unknown("volume scale", volume_scale, FULL_VOLUME))
    problems = Problems(strict=strict, most=limits.max_problems)
    values = Values(problems, limits, FULL_VOLUME[volume_scale])
    document = _document(text, values, Subtrees(subtrees or {}))
    return Result(document, problems.listing())


def metadata_of(text: bytes | str) -> dict[str, Any]:
    """The metadata in the envelope of a document, whether its tree is valid or not; empty when the text is not JSON."""
    values = Values(Problems(), Limits(), FULL_VOLUME["percent"])
    parsed = parse(text, values.problems, values.limits)
    return {} if parsed is None else opened(parsed.value, values)[1]


def _document(text: bytes | str, values: Values, subtrees: Subtrees) -> Document | None:
    parsed = parse(text, values.problems, values.limits)
    if parsed is None:
        return None
    if parsed.doubtful:
        doubts.find(parsed.value, values.problems, values.limits)
    root, metadata = opened(parsed.value, values)
    tree = normalise(root, values, subtrees)
    return None if tree is None else Document(tree, metadata)
