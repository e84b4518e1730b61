# SPDX-License-Identifier: Apache-2.0
"""Reads the envelope of a document.

The object that a server wraps it in, the version of the language, and the age by its time stamp.
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from embodiment_bridge.bml.base.problems import at, short
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child

PARAMETER: Final = "max_age"
KEY: Final = "req_time"
_DIGITS = re.compile(r"\d{14}")


def time_of(value: Any) -> float | None:
    """Return a ``req_time`` as seconds since 1970; None if it is not a time.

    Taken are ``20180108101105`` (UTC), ISO 8601 with its zone (UTC without one), and a number of seconds.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if abs(value) < 1e12 and math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    try:
        if _DIGITS.fullmatch(value):
            moment = datetime.strptime(f"{value}+0000", "%Y%m%d%H%M%S%z")
        else:
            moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def age_refusal(metadata: Mapping[str, Any], max_age: float, now: float, *, required: bool = False) -> str:
    """Return why a document with this envelope is refused at ``now`` (s since 1970); empty if it is not.

    max_age: s, either way, as clocks differ; 0 refuses nothing. required: refuse one that does not tell its time.
    """
    if not max_age:
        return ""
    if KEY not in metadata:
        return f"it has no {KEY}, by which its age would be known (parameter {PARAMETER})" if required else ""
    sent = time_of(metadata[KEY])
    if sent is None:
        return f"its {KEY} is not a time such as 20180108101105 (UTC), ISO 8601, or seconds since 1970"
    if abs(now - sent) <= max_age:
        return ""
    when = "before" if sent < now else "after"
    return f"its {KEY} is {abs(now - sent):.0f} s {when} now, parameter {PARAMETER} allows {max_age:g} s"


VERSIONS = ("1", "1.0")
SCHEMA = "$schema"  # by it an editor knows the keys
AT_THE_ROOT = ("version", SCHEMA)
_ENVELOPE_KEYS = frozenset({"action", "name", "suspendable", "req_time", "ip", "version"})


def opened(value: object, values: Values) -> tuple[Child, dict[str, object]]:
    """Return the root node and the metadata: out of an envelope where there is one."""
    if not isinstance(value, dict):
        return Child("", value), {}
    metadata: dict[str, object] = {}
    value = {key: item for key, item in value.items() if key != SCHEMA}
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
    """Return the envelope that servers write: ``action`` is the root node, the rest is about the run."""
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
