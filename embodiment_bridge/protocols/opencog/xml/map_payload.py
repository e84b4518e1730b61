# SPDX-License-Identifier: Apache-2.0
"""The protobuf payload of ``map-data`` and ``terrain-data``: proto2 ``MapInfoSeq``, which is the same as ``Chunk``.

The message is small and does not change any more, so it is coded here without protobuf's compiler:

    MapInfoSeq  { repeated MapInfo = 1 }
    MapInfo     { id = 1, name = 2, type = 3 (strings), position = 4, velocity = 5 {x, y, z = 1, 2, 3 (floats)},
                  rotation = 6 {pitch, roll, yaw = 1, 2, 3}, length, width, height = 7, 8, 9 (floats),
                  repeated properties = 10 {key = 1, value = 2}, weight = 11 (float) }
"""

import binascii
import struct
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.parts import NO_ROTATION, MapData, MapThing, Rotation, Vector
from embodiment_bridge.protocols.opencog.xml.wire_table import Form, writer
from embodiment_bridge.protocols.opencog.xml.wire_values import BadValueError, Kind

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types
_FLOAT: Final = struct.Struct("<f")
_TRIPLE: Final = struct.Struct("<BfBfBf")
_TRIPLE_TAGS: Final = (0x0D, 0x15, 0x1D)  # fields 1, 2, 3, fixed32

Field = tuple[int, int, bytes]


def encode(things: Iterable[MapThing]) -> bytes:
    """The bytes of a sequence of things. Numbers must be finite and texts encodable, which the writer checks."""
    return b"".join(_block(1, _thing(thing)) for thing in things)


def _thing(thing: MapThing) -> bytes:
    position, rotation, velocity = thing.position, thing.rotation, thing.velocity
    parts = [
        _block(1, thing.id.encode()),
        _block(2, thing.name.encode()),
        _block(3, thing.type.encode()),
        _block(4, _triple(position.x, position.y, position.z)),
        b"" if velocity is None else _block(5, _triple(velocity.x, velocity.y, velocity.z)),
        _block(6, _triple(rotation.pitch, rotation.roll, rotation.yaw)),
        *(
            _float(number, value)
            for number, value in ((7, thing.length), (8, thing.width), (9, thing.height))
        ),
        *(_block(10, _block(1, key.encode()) + _block(2, value.encode())) for key, value in thing.properties),
        b"" if thing.weight is None else _float(11, thing.weight),
    ]
    return b"".join(parts)


def _block(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | BYTES,)) + _varint(len(content)) + content


def _float(number: int, value: float) -> bytes:
    return bytes((number << 3 | FIXED32,)) + _FLOAT.pack(value)


def _triple(a: float, b: float, c: float) -> bytes:
    return _TRIPLE.pack(_TRIPLE_TAGS[0], a, _TRIPLE_TAGS[1], b, _TRIPLE_TAGS[2], c)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def decode(data: bytes) -> tuple[MapThing, ...]:
    """The things of a payload; fields that are not known are skipped.

    Raises:
        ValueError: the bytes are not such a message; the text says where.
    """
    return tuple(
        _read_thing(content) for number, kind, content in _fields(data) if (number, kind) == (1, BYTES)
    )


def _read_thing(data: bytes) -> MapThing:
    texts = {1: "", 2: "", 3: ""}
    triples: dict[int, tuple[float, float, float]] = {}
    numbers: dict[int, float] = {}
    properties = []
    for number, kind, content in _fields(data):
        if kind == BYTES and number in texts:
            texts[number] = content.decode("utf-8", "replace")
        elif kind == BYTES and number in (4, 5, 6):
            triples[number] = _read_triple(content)
        elif kind == FIXED32 and number in (7, 8, 9, 11):
            numbers[number] = _read_float(content)
        elif kind == BYTES and number == 10:
            properties.append(_read_property(content))
    if 4 not in triples:
        raise ValueError("a thing has no position")
    return MapThing(
        texts[1],
        texts[2],
        texts[3],
        Vector(*triples[4]),
        Rotation(*triples[6]) if 6 in triples else NO_ROTATION,
        Vector(*triples[5]) if 5 in triples else None,
        numbers.get(7, 0.0),
        numbers.get(8, 0.0),
        numbers.get(9, 0.0),
        tuple(properties),
        numbers.get(11),
    )


def _read_triple(data: bytes) -> tuple[float, float, float]:
    values = {number: _read_float(part) for number, kind, part in _fields(data) if kind == FIXED32}
    return values.get(1, 0.0), values.get(2, 0.0), values.get(3, 0.0)


def _read_property(data: bytes) -> tuple[str, str]:
    texts = {number: part.decode("utf-8", "replace") for number, kind, part in _fields(data) if kind == BYTES}
    return texts.get(1, ""), texts.get(2, "")


def _read_float(content: bytes) -> float:
    value = float(_FLOAT.unpack(content)[0])
    if not isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return value


def _fields(data: bytes) -> Iterator[Field]:
    """(number, wire type, content) of the fields of a message."""
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        start = at
        if kind == VARINT:
            _, at = _read_varint(data, at)
        elif kind == BYTES:
            size, start = _read_varint(data, at)
            at = start + size
        elif kind in (FIXED64, FIXED32):
            at += 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"wire type {kind} at byte {start} is not known")
        if number == 0:
            raise ValueError(f"field number 0 at byte {start}")
        if at > len(data):
            raise ValueError(f"field {number} at byte {start} is cut off")
        yield number, kind, data[start:at]


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(data):
            raise ValueError(f"number at byte {at} is cut off")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError(f"number at byte {at} is too long")


def _write_data(value: object) -> str:
    """The base64 of a payload."""
    if not isinstance(value, MapData) or not isinstance(value.undecoded, bytes):
        raise BadValueError(value, "MapData")
    if value.undecoded and value.things:
        raise BadValueError(value, "MapData with things or with undecoded bytes, not both")
    for place, thing in enumerate(value.things):
        try:
            _check(thing)
        except BadValueError as error:
            raise error.within(f".things[{place}]") from None
    try:
        raw = value.undecoded or encode(value.things)
    except OverflowError:
        raise BadValueError(value, "MapData with numbers that a float of 32 bits can take") from None
    return binascii.b2a_base64(raw, newline=False).decode("ascii")


def _read_data(text: str) -> MapData:
    try:
        raw = binascii.a2b_base64(text.encode("ascii"))
    except ValueError:
        return MapData(undecoded=text.encode("utf-8", "replace"))
    try:
        return MapData(decode(raw))
    except ValueError:
        return MapData(undecoded=raw)


_check: Final = writer(MapThing, "thing", Form("final"))  # for its checks alone
PAYLOAD: Final = Kind(_write_data, _read_data)
