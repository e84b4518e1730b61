# SPDX-License-Identifier: Apache-2.0
"""The envelope of a document: the object that a server wraps it in, and the version of the language."""

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import short
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child

VERSIONS = ("1", "1.0")
_ENVELOPE_KEYS = frozenset({"action", "name", "suspendable", "req_time", "ip", "version"})


def opened(value: object, values: Values) -> tuple[Child, dict[str, object]]:
    """The root node and the metadata: out of an envelope where there is one."""
    if not isinstance(value, dict):
        return Child("", value), {}
    metadata: dict[str, object] = {}
    is_envelope = isinstance(value.get("action"), dict) and _has_no_node_key(value)
    if is_envelope:
        metadata = _envelope(value, values)
    if "version" in value:
        metadata["version"] = _version(value["version"], values)
        value = {key: item for key, item in value.items() if key != "version"}
    return (Child("/action", value["action"]) if is_envelope else Child("", value)), metadata


def _has_no_node_key(value: Raw) -> bool:
    return not any(key in value for key in ("type", "behavior", *CHILD_KEYS))


def _envelope(value: Raw, values: Values) -> dict[str, object]:
    """The envelope that servers write: ``action`` is the root node, the rest is about the run."""
    values.problems.tolerated("", "ENVELOPE", "an envelope; its 'action' is read as the document")
    metadata = {key: item for key, item in value.items() if key != "action"}
    if "suspendable" in value:
        metadata["suspendable"] = values.flag(value, "", "suspendable", False)
    values.text(value, "", "name", values.limits.max_name)
    for key in [key for key in metadata if key not in _ENVELOPE_KEYS]:
        message = values.problems.unknown("key of an envelope", key, _ENVELOPE_KEYS)
        values.problems.tolerated(at("", key), "UNKNOWN_KEY", message)
    return metadata


def _version(value: object, values: Values) -> object:
    if value not in VERSIONS:
        text = f"'version' is {short(value)}, known is '1.0'"
        values.problems.tolerated("/version", "UNSUPPORTED_VERSION", text)
    return value
