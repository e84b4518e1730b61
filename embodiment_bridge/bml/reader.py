# SPDX-License-Identifier: Apache-2.0
"""Reading a BML document: text in, the canonical tree and everything that is wrong or doubtful out."""

from dataclasses import dataclass
from typing import Any

from embodiment_bridge.bml import doubts
from embodiment_bridge.bml.children import CHILD_KEYS, Child
from embodiment_bridge.bml.document import Document, Problem
from embodiment_bridge.bml.fields import Fields, Raw
from embodiment_bridge.bml.limits import Limits
from embodiment_bridge.bml.normalise import normalise
from embodiment_bridge.bml.parse import parse
from embodiment_bridge.bml.pointer import at
from embodiment_bridge.bml.problems import Problems, short
from embodiment_bridge.errors import ConfigError, unknown

FULL_VOLUME = {"percent": 100.0, "unit": 1.0}
VERSIONS = ("1", "1.0")
_ENVELOPE_KEYS = frozenset({"action", "name", "suspendable", "req_time", "ip", "version"})


@dataclass(frozen=True, slots=True)
class Result:
    """What reading gave: the document (None when a problem is fatal) and all problems, about in text order.

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
) -> Result:
    """Read a document; bad input never raises, it is a fatal problem.

    Args:
        text: JSON, as bytes (UTF-8) or text.
        strict: refuse the forms that are else rewritten with a warning.
        limits: bounds of size, nesting and values.
        volume_scale: ``percent`` when the document's volumes are 0 to 100, ``unit`` when they are 0 to 1; it
            is never guessed. The canonical tree has percent in either case.

    Raises:
        ConfigError: ``volume_scale`` is something else.
    """
    if volume_scale not in FULL_VOLUME:
        raise ConfigError(unknown("volume scale", volume_scale, FULL_VOLUME))
    problems = Problems(strict=strict, most=limits.max_problems)
    fields = Fields(problems, limits, FULL_VOLUME[volume_scale])
    document = _document(text, fields)
    return Result(document, problems.listing())


def _document(text: bytes | str, fields: Fields) -> Document | None:
    parsed = parse(text, fields.problems, fields.limits)
    if parsed is None:
        return None
    if parsed.doubtful:
        doubts.find(parsed.value, fields.problems, fields.limits)
    root, metadata = _opened(parsed.value, fields)
    tree = normalise(root, fields)
    return None if tree is None else Document(tree, metadata)


def _opened(value: Any, fields: Fields) -> tuple[Child, dict[str, Any]]:
    """The root node and the metadata: out of an envelope where there is one."""
    if not isinstance(value, dict):
        return Child("", value), {}
    metadata: dict[str, Any] = {}
    is_envelope = isinstance(value.get("action"), dict) and _has_no_node_key(value)
    if is_envelope:
        metadata = _envelope(value, fields)
    if "version" in value:
        metadata["version"] = _version(value["version"], fields)
        value = {key: item for key, item in value.items() if key != "version"}
    return (Child("/action", value["action"]) if is_envelope else Child("", value)), metadata


def _has_no_node_key(value: Raw) -> bool:
    return not any(key in value for key in ("type", "behavior", *CHILD_KEYS))


def _envelope(value: Raw, fields: Fields) -> dict[str, Any]:
    """What a server writes round a document: ``action`` is the root node, the rest is about the run."""
    fields.problems.tolerated("", "ENVELOPE", "an envelope; its 'action' is read as the document")
    metadata = {key: item for key, item in value.items() if key != "action"}
    if "suspendable" in value:
        metadata["suspendable"] = fields.flag(value, "", "suspendable", False)
    fields.text(value, "", "name", fields.limits.max_name)
    for key in [key for key in metadata if key not in _ENVELOPE_KEYS]:
        message = fields.problems.unknown("key of an envelope", key, _ENVELOPE_KEYS)
        fields.problems.tolerated(at("", key), "UNKNOWN_KEY", message)
    return metadata


def _version(value: Any, fields: Fields) -> Any:
    if value not in VERSIONS:
        text = f"'version' is {short(value)}, known is '1.0'"
        fields.problems.tolerated("/version", "UNSUPPORTED_VERSION", text)
    return value
