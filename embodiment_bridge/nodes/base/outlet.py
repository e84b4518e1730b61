# SPDX-License-Identifier: Apache-2.0
"""Publishers that build no message without subscribers, and pack those of which only numbers change."""

import struct
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from random import Random
from typing import Any, Final, Generic, TypeAlias, TypeVar

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message, serialize_message

from embodiment_bridge.nodes.base.messages import Message

LOOK_S: Final = 0.1  # asking the middleware takes 10 us, as much as a robot has for two topics in a percept


class Outlet:
    """Represents one publisher. It sees a new subscriber after ``LOOK_S`` s at the latest, on the calling thread."""

    def __init__(self, node: Node, message_type: type[Message], topic: str, qos: QoSProfile) -> None:
        self._publisher = node.create_publisher(message_type, topic, qos)
        self._next_look = 0.0
        self._subscribed = False

    @property
    def wanted(self) -> bool:
        """Whether the topic has subscribers."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_S
            self._subscribed = self._publisher.get_subscription_count() > 0
        return self._subscribed

    def publish(self, message: Message | bytes) -> None:
        """Publish a message, or its serialised bytes."""
        self._publisher.publish(message)


# Messages that are serialised once, because afterwards only their stamps and numbers change.
#
# rclpy converts a message field by field each time: 23 transforms take 0.2 ms to fill in and publish. Bytes go out
# as they are, and writing 161 numbers into bytes takes 10 us.

Shape = TypeVar("Shape", bound=Hashable)
Numbers: TypeAlias = Sequence[float]
Make: TypeAlias = Callable[[Numbers, Time], Any]  # a message of some numbers (float64) and a stamp
Serialise: TypeAlias = Callable[[Any], bytes]

_STAMP: Final = "iI"  # s, ns
_DOUBLE: Final = 8  # bytes
_ORDERS: Final = "<>"


class NotPackableError(ValueError):
    """Reports a message that cannot be packed: its numbers are not in its bytes one by one."""


class Template:
    """Holds the bytes of a message that ``make`` makes of ``count`` numbers, which are overwritten.

    The places of stamps and numbers are found by serialising values that occur nowhere else. Nothing is assumed about
    the encoding but that a number is 8 and a stamp 4 + 4 bytes, in either byte order, and that is tried out.

    Raises:
        NotPackableError: a number is not in the bytes exactly once, or the packed message is another one than made.
    """

    def __init__(self, make: Make, count: int, serialise: Serialise = serialize_message) -> None:
        self._random = Random(count)
        self._count = count
        numbers, stamp = self._marks()
        found = serialise(make(numbers, stamp))
        self._data = bytearray(found)
        order = next(
            (one for one in _ORDERS if struct.pack(one + _STAMP, stamp.sec, stamp.nanosec) in found), ""
        )
        if not order:
            raise NotPackableError("the bytes have no stamp")
        self._stamp = struct.Struct(order + _STAMP)
        self._stamps = list(_places(found, self._stamp.pack(stamp.sec, stamp.nanosec)))
        self._rows = list(
            _rows([_place(found, struct.pack(order + "d", number)) for number in numbers], order)
        )
        numbers, stamp = self._marks()
        message = make(numbers, stamp)
        # Not compared as bytes: rclpy leaves what was in memory in the gaps before aligned numbers.
        packed, made = (
            deserialize_message(data, type(message))
            for data in (self.pack(numbers, stamp), serialise(message))
        )
        if packed != made:
            raise NotPackableError("more than stamps and numbers changes")

    def pack(self, numbers: Numbers, stamp: Time) -> bytes:
        """Return the message of these numbers, as many as at first, and this stamp."""
        if len(numbers) != self._count:
            raise NotPackableError(f"{len(numbers)} numbers instead of {self._count}")
        data = self._data
        time = self._stamp.pack(stamp.sec, stamp.nanosec)
        for place in self._stamps:
            data[place : place + _DOUBLE] = time
        for row, place, begin, end in self._rows:
            row.pack_into(data, place, *numbers[begin:end])
        return bytes(data)

    def _marks(self) -> tuple[list[float], Time]:
        numbers = [self._random.random() for _ in range(self._count)]
        return numbers, Time(sec=self._random.getrandbits(31), nanosec=self._random.getrandbits(32))


class PackedOutlet(Generic[Shape]):
    """Publishes messages of few shapes and many numbers: ``make(shape, numbers, stamp)`` makes one.

    A shape is all that is not a number: names, and how many there are. A message of a new shape is published as rclpy
    does it; from the second one on of the same shape it is packed.
    """

    def __init__(self, outlet: Outlet, make: Callable[[Shape, Numbers, Time], Any]) -> None:
        self._outlet = outlet
        self._make = make
        self._shape: tuple[Shape, int] | None = None
        self._template: Template | None = None
        self._packable = True

    @property
    def wanted(self) -> bool:
        """Whether the topic has subscribers."""
        return self._outlet.wanted

    def publish(self, shape: Shape, numbers: Numbers, stamp: Time) -> None:
        """Publish the message of these numbers."""
        known = self._shape == (shape, len(numbers))
        if known and self._template is None and self._packable:
            self._pack(shape, len(numbers))
        if not known:
            self._shape, self._template, self._packable = (shape, len(numbers)), None, True
        if self._template is None:
            self._outlet.publish(self._make(shape, numbers, stamp))
        else:
            self._outlet.publish(self._template.pack(numbers, stamp))

    def _pack(self, shape: Shape, count: int) -> None:
        try:
            self._template = Template(lambda numbers, stamp: self._make(shape, numbers, stamp), count)
        except NotPackableError:
            self._packable = False  # this shape goes out as rclpy does it


def _places(data: bytes, pattern: bytes) -> Iterator[int]:
    place = data.find(pattern)
    while place >= 0:
        yield place
        place = data.find(pattern, place + 1)


def _place(data: bytes, pattern: bytes) -> int:
    found = list(_places(data, pattern))
    if len(found) != 1:
        raise NotPackableError(f"a number is in the bytes {len(found)} times")
    return found[0]


def _rows(places: Sequence[int], order: str) -> Iterator[tuple[struct.Struct, int, int, int]]:
    """Yield runs of numbers that are adjacent in the bytes: their format, place, and which numbers they are."""
    begin = 0
    for end in range(1, len(places) + 1):
        if end == len(places) or places[end] != places[end - 1] + _DOUBLE:
            yield struct.Struct(f"{order}{end - begin}d"), places[begin], begin, end
            begin = end
