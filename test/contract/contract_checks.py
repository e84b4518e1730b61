# SPDX-License-Identifier: Apache-2.0
"""What every codec and every command keeps. Each check raises at a fault, as test_contract_checks.py shows."""

import dataclasses
import gc
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any, get_args, get_type_hints

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown
from embodiment_bridge.wire.json_text import decode_stream

MakeCodec = Callable[[], Any]

SHORT, LONG = 1 << 18, 6 << 20  # bytes of a stream that no codec may keep
CHUNK = 1 << 16
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType)


def all_events(make: MakeCodec, chunks: Iterable[bytes]) -> list[Any]:
    """What a new codec makes of a whole stream, its end included."""
    codec = make()
    events = [event for chunk in chunks for event in codec.feed(chunk)]
    return events + codec.close()


def cut(stream: bytes, places: Iterable[int]) -> list[bytes]:
    """The stream in pieces; places beyond its end are taken modulo its length."""
    edges = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[a:b] for a, b in pairwise(edges)]


def check_events(make: MakeCodec, stream: bytes) -> list[Any]:
    """Events are frozen dataclasses, in the order of their offsets, which are inside the stream."""
    events = all_events(make, [stream])
    for event in events:
        assert dataclasses.is_dataclass(event)
        assert type(event).__dataclass_params__.frozen, f"{type(event).__name__} is not frozen"
    offsets = [event.offset for event in events]
    assert offsets == sorted(offsets)
    assert not offsets or (offsets[0] >= 0 and offsets[-1] < len(stream))
    return events


def check_chunks(make: MakeCodec, stream: bytes, places: Iterable[int]) -> None:
    """However the stream is cut into chunks, the events are the same."""
    whole, pieces = all_events(make, [stream]), all_events(make, cut(stream, places))
    assert list(map(repr, pieces)) == list(map(repr, whole))  # nan is not equal to nan, but its text is


def check_two_connections(make: MakeCodec, stream: bytes) -> None:
    """Codecs share nothing: what one receives does not show in another."""
    expected = list(map(repr, all_events(make, [stream])))
    one, other = make(), make()
    middle = len(stream) // 2
    events = one.feed(stream[:middle])
    other.feed(stream[: middle + 1])
    events += one.feed(stream[middle:]) + one.close()
    assert list(map(repr, events)) == expected


def check_close(make: MakeCodec, stream: bytes, place: int) -> None:
    """A stream that ends anywhere gives a ``Truncated`` of all bytes that no event was made of, or nothing."""
    place %= len(stream) + 1
    codec = make()
    codec.feed(stream[:place])
    left = codec.close()
    if left:
        assert [type(event) for event in left] == [Truncated]
        assert left[0].received > 0
        assert left[0].offset + left[0].received == place
    else:
        assert not make_and_feed(make, stream[:place]).close(), "two codecs do not agree"
        whole, begun = all_events(make, [stream]), make().feed(stream[:place])
        later = [event.offset for event in whole[len(begun) :]]
        assert not later or later[0] >= place, (
            f"the stream ended inside the frame at {later[0]}, and nothing says so"
        )


def make_and_feed(make: MakeCodec, data: bytes) -> Any:
    codec = make()
    codec.feed(data)
    return codec


def check_survives(make: MakeCodec, data: bytes) -> None:
    """Whatever comes, nothing is raised, and all of it can be shown as JSON."""
    check_events(make, data)
    check_json(make, data)


def check_json(make: MakeCodec, stream: bytes) -> None:
    """Each event is one line of valid JSON that begins with its name and offset."""
    for row in decode_stream(make(), [stream]):
        line = json.dumps(row, ensure_ascii=False, allow_nan=False)
        assert is_unicode(line), "an event has a text that cannot be written"
        assert "\n" not in line
        assert list(json.loads(line))[:2] == ["event", "offset"]


def check_bounded(make: MakeCodec, begin: bytes, filler: bytes) -> None:
    """Of a long stream, valid or not, the codec soon keeps less than a quarter.

    That is at most 1.5 MB in the end, a little more than the largest frame of any protocol.
    """
    chunk = filler * (CHUNK // len(filler) + 1)
    codec = make()
    at_first = size_of(codec)
    codec.feed(begin)
    fed = kept = 0
    while fed < LONG:
        codec.feed(chunk)
        fed += len(chunk)
        kept = size_of(codec) - at_first
        if fed >= SHORT and kept < fed / 4:
            return
    pytest.fail(f"{kept} bytes are kept of {fed}")


def size_of(thing: Any) -> int:
    """Bytes of a Python object and of all that it refers to, but code and modules."""
    seen: set[int] = set()
    todo = [thing]
    total = 0
    while todo:
        item = todo.pop()
        if id(item) not in seen and not isinstance(item, CODE):
            seen.add(id(item))
            total += sys.getsizeof(item)
            todo += gc.get_referents(item)
    return total


def check_unknown(make: MakeCodec, stream: bytes) -> None:
    """What is well-formed but unknown is an event that is encoded to the bytes it came from."""
    events = all_events(make, [stream])
    assert not [event for event in events if isinstance(event, Malformed | Truncated)]
    unknown = [event for event in events if isinstance(event, Unknown)]
    assert unknown, "the sample has nothing that is unknown"
    for event in unknown:
        sent = make().encode(event)
        assert event.raw in sent
        assert sent in stream or event.raw in stream
        assert Unknown(0, event.raw) in [dataclasses.replace(e, offset=0) for e in all_events(make, [sent])]


def check_malformed(make: MakeCodec, stream: bytes) -> None:
    """What is malformed is an event with a reason, and the codec goes on behind it."""
    events = all_events(make, [stream])
    malformed = [event for event in events if isinstance(event, Malformed)]
    assert malformed, "the sample has nothing that is malformed"
    for event in malformed:
        assert event.reason
        assert len(event.excerpt) < 200
    assert not isinstance(events[-1], Malformed | Truncated), "the sample must end with something good"


def check_command(make: MakeCodec, commands: Sequence[Any], index: int) -> None:
    """Each command is encoded; one with a wrong field is refused with a text that names the field."""
    codec = make()
    for earlier in commands[:index]:
        codec.encode(earlier)
    command = commands[index]
    sent = codec.encode(command)
    assert isinstance(sent, bytes)
    assert sent
    hints = get_type_hints(type(command))
    for field in dataclasses.fields(command):
        for value in wrong_values(hints[field.name]):
            with pytest.raises(CommandError) as caught:
                codec.encode(dataclasses.replace(command, **{field.name: value}))
            assert field.name in str(caught.value)


def wrong_values(hint: Any) -> list[Any]:
    """Values that no field of this type may have."""
    kinds = get_args(hint) or (hint,)
    values: list[Any] = [math.nan, math.inf, -math.inf, object()]
    if NoneType not in kinds:
        values.append(None)
    if float in kinds:
        values += [10**400, "1"]
    if str in kinds:
        values.append("\ud800")  # cannot be written in any encoding
    return values


def check_no_command(make: MakeCodec) -> None:
    """What is no command of the protocol is refused."""
    for thing in (None, object(), "text", b"bytes", Malformed(0, "reason")):
        with pytest.raises(CommandError):
            make().encode(thing)
