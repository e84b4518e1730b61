# SPDX-License-Identifier: Apache-2.0
"""Events as JSON objects, for any protocol whose events are dataclasses.

``{"event": "Percept", "offset": 0, ...}``: the name, the offset in the stream, then the other fields. Inside,

* nan and the infinities are the strings ``"nan"``, ``"inf"`` and ``"-inf"``;
* bytes are a string when they are UTF-8, else ``{"base64": "..."}``;
* tuples are arrays, inner dataclasses are objects, members of an enum are their values.
"""

import base64
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Never, TypeAlias

from embodiment_bridge.wire.codec import Codec

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def decode_stream(codec: Codec[object, Never], chunks: Iterable[bytes]) -> Iterator[dict[str, Json]]:
    """Feed all chunks to ``codec``; give its events as JSON-able dicts, the end of the stream included."""
    for chunk in chunks:
        for event in codec.feed(chunk):
            yield event_to_json(event)
    for event in codec.close():
        yield event_to_json(event)


def event_to_json(event: object) -> dict[str, Json]:
    """One event as a JSON-able dict."""
    content = _fields_to_json(event)
    head: dict[str, Json] = {"event": type(event).__name__}
    if "offset" in content:
        head["offset"] = content.pop("offset")
    return head | content


def _fields_to_json(value: object) -> dict[str, Json]:
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{type(value).__name__} is not a dataclass")
    return {field.name: _to_json(getattr(value, field.name)) for field in fields(value)}


def _to_json(value: object) -> Json:
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray):
        return _bytes_to_json(value)
    if is_dataclass(value):
        return _fields_to_json(value)
    if isinstance(value, Mapping):
        return {str(key): _to_json(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_to_json(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _bytes_to_json(value: bytes | bytearray) -> Json:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}
