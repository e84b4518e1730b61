# SPDX-License-Identifier: Apache-2.0
"""Writes events of any protocol as JSON objects and reads commands from them, by the fields of their dataclasses.

``{"command": "Motor", "name": "he1", "q_deg": 12.5, ...}``: the name of the command and its fields, written
as ``event_to_json`` writes those of events. A command inside another (``Frame.actions``) is such an object too.
"""

import base64
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Never, TypeAlias, Union, get_args, get_origin, get_type_hints

from embodiment_bridge.core.errors import CommandError, quoted, unknown
from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.wire.codec import Codec

# Events as JSON objects, for any protocol whose events are dataclasses.
#
# ``{"event": "Percept", "offset": 0, ...}``: the name, the offset in the stream, then the other fields. Inside,
#
# * nan and the infinities are the strings ``"nan"``, ``"inf"`` and ``"-inf"``;
# * bytes are a string when they are UTF-8, else ``{"base64": "..."}``;
# * tuples are arrays, inner dataclasses are objects, members of an enum are their values.

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


_NUMBERS_BY_NAME = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


def read_commands(lines: Iterable[str], kinds: Iterable[type]) -> Iterator[tuple[int, object]]:
    """(line number, command) of each JSON line that is not blank; ``kinds`` are the commands of the protocol.

    Raises:
        CommandError: a line holds no such command; the text names line, field, value and choices.
    """
    choices = tuple(kinds)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, command_from_json(_load(line), choices)
            except CommandError as error:
                raise CommandError(f"line {number}: {error}") from None


def command_from_json(value: object, kinds: Iterable[type], where: str = "") -> object:
    """The command that a decoded JSON object describes; ``where`` begins the text of errors.

    Raises:
        CommandError: it describes none of ``kinds``; the text names the field, its value and the choices.
    """
    by_name = {kind.__name__: kind for kind in kinds}
    if not isinstance(value, dict):
        raise CommandError(f"{where}{quoted(value)} is no object with a command")
    if "command" not in value:
        raise CommandError(f"{where}no field 'command' (known: {', '.join(sorted(by_name))})")
    name = str(value["command"])
    if name not in by_name:
        raise CommandError(where + unknown("command", name[:80], by_name))
    return _build(by_name[name], value, where)


def _build(kind: type, value: dict[str, object], where: str) -> object:
    """Make the dataclass ``kind`` of the fields in ``value``."""
    hints = get_type_hints(kind)
    for name in value:
        if name not in hints and name != "command":
            raise CommandError(where + unknown(f"field of {kind.__name__}", name[:80], hints))
    arguments = {}
    for field in fields(kind):
        place = f"{where}{kind.__name__}.{field.name}"
        if field.name in value:
            arguments[field.name] = _convert(value[field.name], hints[field.name], place)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise CommandError(f"{place} is missing (fields: {', '.join(hints)})")
    return kind(**arguments)


def _convert(value: object, hint: object, place: str) -> object:
    """Make of a JSON value what the type ``hint`` of the field at ``place`` wants."""
    if get_origin(hint) in (Union, UnionType):
        return _convert_to_one(value, get_args(hint), place)
    if isinstance(hint, type) and is_dataclass(hint):
        return _convert_part(value, hint, place)
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise CommandError(f"{place}: {quoted(value)} is no array")
        element = get_args(hint)[0]  # tuple[X, ...]
        return tuple(_convert(item, element, f"{place}[{index}]") for index, item in enumerate(value))
    return _SCALARS[hint](value, place)


def _convert_part(value: object, kind: type, place: str) -> object:
    """Make a dataclass that is part of a command, of which there is one kind only."""
    if not isinstance(value, dict):
        raise CommandError(f"{place}: {quoted(value)} is no object")
    return _build(kind, value, f"{place}: ")


def _convert_to_one(value: object, hints: tuple[object, ...], place: str) -> object:
    """Make of a JSON value what the first type that can take it wants; commands are told apart by name."""
    kinds = [hint for hint in hints if isinstance(hint, type) and is_dataclass(hint)]
    if kinds and NoneType in hints and len(kinds) == 1:
        return None if value is None else _convert_part(value, kinds[0], place)
    if kinds:
        return command_from_json(value, kinds, f"{place}: ")
    problem: CommandError | None = None
    for hint in hints:
        try:
            return _convert(value, hint, place)
        except CommandError as error:
            problem = error
    raise problem or CommandError(f"{place}: {quoted(value)} is of no known type")


def _to_float(value: object, place: str) -> float:
    if isinstance(value, str) and value in _NUMBERS_BY_NAME:
        return _NUMBERS_BY_NAME[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise CommandError(f"{place}: {quoted(value)} is too large") from None
    raise CommandError(f"{place}: {quoted(value)} is no number")


def _to_int(value: object, place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise CommandError(f"{place}: {quoted(value)} is no whole number")


def _to_bool(value: object, place: str) -> bool:
    if isinstance(value, bool):
        return value
    raise CommandError(f"{place}: {quoted(value)} is neither true nor false")


def _to_str(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise CommandError(f"{place}: {quoted(value)} is no string")
    if not is_unicode(value):
        raise CommandError(f"{place}: {quoted(value)} has a lone surrogate, which is no Unicode character")
    return value


def _to_none(value: object, place: str) -> None:
    if value is not None:
        raise CommandError(f"{place}: {quoted(value)} is not null")


def _to_bytes(value: object, place: str) -> bytes:
    try:
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, dict) and value.keys() == {"base64"} and isinstance(value["base64"], str):
            return base64.b64decode(value["base64"], validate=True)
    except ValueError:  # also that of base64
        pass
    raise CommandError(f'{place}: {quoted(value)} is neither text nor {{"base64": "..."}}')


_SCALARS: dict[object, Callable[[object, str], object]] = {
    float: _to_float,
    int: _to_int,
    bool: _to_bool,
    str: _to_str,
    bytes: _to_bytes,
    NoneType: _to_none,
}


def _load(line: str) -> object:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise CommandError(f"no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise CommandError("no JSON: a number is too long, or it is nested too deeply") from None
