# SPDX-License-Identifier: Apache-2.0
"""Converts ROS messages.

Finds a class by its type name, makes messages from JSON and JSON from messages, stamps in s, transforms as TF
messages.
"""

import importlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final, Protocol, TypeAlias

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from embodiment_bridge.core.errors import CommandError, ConfigError, quoted, unknown
from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.urdf import LinkTransform

ROOT = "/"  # before a name to which the prefix does not go
Frames: TypeAlias = tuple[tuple[str, str], ...]  # (parent, child) of each transform


def flat(transforms: Iterable[LinkTransform]) -> tuple[Frames, list[float]]:
    """Return the frames of transforms, and seven numbers of each: m, unit quaternion."""
    frames: list[tuple[str, str]] = []
    numbers: list[float] = []
    for parent, child, xyz, quaternion in transforms:
        frames.append((parent, child))
        numbers += xyz
        numbers += quaternion
    return tuple(frames), numbers


class TransformMessages:
    """Makes the TF messages of one robot; ``prefix`` goes before every frame name that does not begin with ``/``.

    Creating a TransformStamped takes 10 us, filling one in takes 1 us, so each pair of frames has one that is reused.
    A message is valid until the next one is made; a publisher has serialised it by then. Where 50 messages a second
    have the same frames, ``of_numbers`` is for a ``PackedOutlet``.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._kept: dict[tuple[str, str], TransformStamped] = {}

    def make(self, transforms: Iterable[LinkTransform], stamp: Time) -> TFMessage:
        """Make one message with all transforms (m, unit quaternions)."""
        return TFMessage(transforms=[self._fill_in(transform, stamp) for transform in transforms])

    def of_numbers(self, frames: Frames, numbers: Sequence[float], stamp: Time) -> TFMessage:
        """Make the message of the numbers of ``flat``."""
        rows = iter(numbers)
        transforms = []
        for parent, child in frames:
            x, y, z, qx, qy, qz, qw = islice(rows, 7)
            transforms.append(LinkTransform(parent, child, (x, y, z), (qx, qy, qz, qw)))
        return self.make(transforms, stamp)

    def _fill_in(self, transform: LinkTransform, stamp: Time) -> TransformStamped:
        message = self._kept.get((transform.parent, transform.child)) or self._build(transform)
        message.header.stamp = stamp
        translation, rotation = message.transform.translation, message.transform.rotation
        translation.x, translation.y, translation.z = transform.xyz
        rotation.x, rotation.y, rotation.z, rotation.w = transform.quaternion
        return message

    def _build(self, transform: LinkTransform) -> TransformStamped:
        message = TransformStamped(child_frame_id=self._named(transform.child))
        message.header.frame_id = self._named(transform.parent)
        self._kept[transform.parent, transform.child] = message
        return message

    def _named(self, frame: str) -> str:
        return frame.removeprefix(ROOT) if frame.startswith(ROOT) else self._prefix + frame


NANOSECONDS: Final = 1_000_000_000


def seconds(stamp: Time | Duration) -> float:
    """Return a stamp, or a duration, in s."""
    return float(stamp.sec) + float(stamp.nanosec) / NANOSECONDS


def nanoseconds(stamp: Time) -> int:
    """Return a stamp in ns."""
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


FEEDBACK = "_FeedbackMessage"


class Message(Protocol):
    """Represents a message, or the request or response of a service."""

    def get_fields_and_field_types(self) -> Mapping[str, str]:
        """Return the types by the names of the fields, in their order."""
        ...


def message_class(type_name: str) -> Any:
    """Return the class of ``package/msg/Name``, ``package/srv/Name`` or ``package/action/Name_FeedbackMessage``.

    Raises:
        ConfigError: the interface package is not installed, or has no such message.
    """
    try:
        package, kind, name = type_name.split("/")
        module = importlib.import_module(f"{package}.{kind}")
        if kind == "action" and name.endswith(FEEDBACK):
            return getattr(module, name.removesuffix(FEEDBACK)).Impl.FeedbackMessage
        return getattr(module, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"message type {type_name!r} is not installed here: {error}") from error


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_WHOLE: Final = {
    f"{sign}int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if not sign else (0, 2**bits - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
} | {"octet": (0, 255), "char": (0, 255)}
_MANY: Final = re.compile(
    r"(?:sequence<(?P<inner>[^,>]+(?:<\d+>)?)(?:, (?P<most>\d+))?>|(?P<fixed>.+)\[(?P<size>\d+)\])"
)


def fill(message: Message, values: Json, place: str = "") -> None:
    """Set the fields of a message that ``values`` names; the others stay.

    Raises:
        CommandError: there is no such field, or a value does not fit; the text names the field.
    """
    fields = message.get_fields_and_field_types()
    if not isinstance(values, dict):
        raise CommandError(
            f"{place or 'the request'} is {quoted(values)}, no object; its fields: {_shown(fields)}"
        )
    for name, value in values.items():
        if name not in fields:
            raise CommandError(unknown(f"field of {place or 'the request'}", name, fields))
        setattr(message, name, _read(fields[name], value, f"{place}.{name}" if place else name))


def as_json(value: Any) -> Json:
    """Return a message, or the value of a field, as plain JSON; a number that is not finite becomes its text."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: as_json(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value[0]
    return [as_json(one) for one in (value.tolist() if hasattr(value, "tolist") else value)]


def _read(kind: str, value: Json, place: str) -> object:
    many = _MANY.fullmatch(kind)
    if many is None:
        return _read_one(kind, value, place)
    inner, size, most = many["inner"] or many["fixed"], many["size"], many["most"]
    if not isinstance(value, list):
        raise CommandError(f"{place} is {quoted(value)}; it must be a list of {inner}")
    if size is not None and len(value) != int(size):
        raise CommandError(f"{place} has {len(value)} values; it must have {size}")
    if most is not None and len(value) > int(most):
        raise CommandError(f"{place} has {len(value)} values; it must have at most {most}")
    return [_read_one(inner, one, f"{place}[{index}]") for index, one in enumerate(value)]


def _read_one(kind: str, value: Json, place: str) -> object:
    if "/" in kind:
        package, _, name = kind.partition("/")
        message = message_class(f"{package}/msg/{name}")()
        fill(message, value, place)
        return message
    if kind in _WHOLE:
        low, high = _WHOLE[kind]
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return bytes([value]) if kind == "octet" else value
        raise CommandError(f"{place} is {quoted(value)}; it must be a whole number from {low} to {high}")
    if kind in ("float", "double"):
        with suppress(OverflowError):  # a whole number of hundreds of digits
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        raise CommandError(f"{place} is {quoted(value)}; it must be a number")
    wanted, name = (bool, "true or false") if kind == "boolean" else (str, "a text")
    if not isinstance(value, wanted) or (isinstance(value, str) and not is_unicode(value)):
        raise CommandError(f"{place} is {quoted(value)}; it must be {name}")
    return value


def _shown(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in fields.items()) or "none"
