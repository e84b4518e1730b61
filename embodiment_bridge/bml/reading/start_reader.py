# SPDX-License-Identifier: Apache-2.0
"""Reading ``start``: at which word of which sound a node begins."""

from typing import Any

from embodiment_bridge.bml.reading.drafts import Begin
from embodiment_bridge.bml.reading.fields import Fields
from embodiment_bridge.bml.reading.pointer import at

KEYS = ("at", "mark", "offset")
LATEST_S = 3600.0


def begin(value: Any, pointer: str, fields: Fields) -> Begin | None:
    """``{"at": name of a sound, "mark": word or number, "offset": s}``; None when it is wrong (which is noted)."""
    if not isinstance(value, dict):
        fields.problems.error(pointer, "WRONG_TYPE", "a start is an object with the key 'at'")
        return None
    for key in value:
        if key not in KEYS:
            message = fields.problems.unknown("key of a start", key, KEYS)
            fields.problems.tolerated(at(pointer, key), "UNKNOWN_KEY", message)
    name = fields.text(value, pointer, "at", fields.limits.max_name, required=True)
    offset = fields.number(value, pointer, "offset", 0.0, LATEST_S) if "offset" in value else None
    return Begin(name, _mark(value, pointer, fields), offset or 0.0)


def _mark(value: dict[str, Any], pointer: str, fields: Fields) -> str:
    mark = value.get("mark", "")
    if isinstance(mark, int) and not isinstance(mark, bool) and 0 <= mark <= fields.limits.max_text:
        return str(mark)
    return fields.text(value, pointer, "mark", fields.limits.max_name)
