# SPDX-License-Identifier: Apache-2.0
"""What may be round a document: the object that a server wraps it in, and the version of the language."""

from typing import Any

from embodiment_bridge.bml.reading.children import CHILD_KEYS, Child
from embodiment_bridge.bml.reading.fields import Fields, Raw
from embodiment_bridge.bml.reading.pointer import at
from embodiment_bridge.bml.reading.problems import short

VERSIONS = ("1", "1.0")
_ENVELOPE_KEYS = frozenset({"action", "name", "suspendable", "req_time", "ip", "version"})


def opened(value: Any, fields: Fields) -> tuple[Child, dict[str, Any]]:
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
