# SPDX-License-Identifier: Apache-2.0
"""The percepts of soccer simulators (metres, degrees, seconds), read list by list in any order."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from embodiment_bridge.protocols.soccer.list_fields import (
    BadListError,
    Fields,
    UnknownListError,
    atom,
    number,
    quote,
)
from embodiment_bridge.wire.sexpr import Node

# What percepts of all soccer simulators hold, in the units of the wire: metres, degrees, seconds.
#
# Numbers may be nan or inf when a simulation blows up. The frame of a sensor is that of its simulator.


@dataclass(frozen=True, slots=True)
class Gyro:
    """``(GYR (n torso_gyro) (rt x y z))``: turning rates about the sensor's axes."""

    name: str
    x_deg_s: float
    y_deg_s: float
    z_deg_s: float

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Of its named values; for what this and the others raise see ``list_fields``."""
        return cls(fields.text("n"), *fields.numbers("rt", 3))


@dataclass(frozen=True, slots=True)
class Accelerometer:
    """``(ACC (n torso_acc) (a x y z))``: proper acceleration, so z is +9.81 at rest and upright."""

    name: str
    x_m_s2: float
    y_m_s2: float
    z_m_s2: float

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Of its named values."""
        return cls(fields.text("n"), *fields.numbers("a", 3))


@dataclass(frozen=True, slots=True)
class Touch:
    """``(TCH n bumper val 1)``: 0 is no contact. No robot of rcssservermj 0.2.1 or rcssserver3d 0.7.3 has one."""

    name: str
    value: int

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """Of its named values."""
        return cls(fields.text("n"), fields.integer("val"))


@dataclass(frozen=True, slots=True)
class PointDetection:
    """``(B (pol distance azimuth elevation))`` in the camera's frame: azimuth positive left, elevation up."""

    name: str
    distance_m: float
    azimuth_deg: float
    elevation_deg: float


@dataclass(frozen=True, slots=True)
class AgentDetection:
    """``(P (team teamRed)(id 1)(head (pol ..))(lfoot (pol ..)))``: a robot's markers, perhaps one's own."""

    team: str
    number: int
    body: tuple[PointDetection, ...]


# Readers of what all soccer simulators say that they see, from parsed lists.

T = TypeVar("T")


class Polar(NamedTuple):
    """A point detection before the order of its numbers is known."""

    name: str
    first: float
    second: float
    third: float


class Agent(NamedTuple):
    """An agent detection before the order of its numbers is known."""

    team: str
    number: int
    body: tuple[Polar, ...]


def good_ones(items: Iterable[Node], read: Callable[[list[Node]], T]) -> tuple[list[T], ValueError | None]:
    """What ``read`` makes of the items that it can read, and the first problem it had."""
    good: list[T] = []
    problem: ValueError | None = None
    for item in items:
        try:
            good.append(read(as_list(item)))
        except (BadListError, UnknownListError) as error:
            problem = problem or error
    return good, problem


def as_list(item: Node) -> list[Node]:
    """``item`` if it is a list, else BadListError."""
    if isinstance(item, list):
        return item
    raise BadListError(f"{quote(item)} stands where a list should")


def seen(item: list[Node]) -> Polar | Agent:
    """Read ``(B (pol ...))`` or ``(P (team T)(id 1)(head (pol ...)) ...)``."""
    if len(item) < 3 or item[0] != "P":
        return point(item)
    fields = Fields(item[1:3])
    return Agent(
        fields.text("team"), fields.integer("id"), tuple(point(as_list(marker)) for marker in item[3:])
    )


def point(item: list[Node]) -> Polar:
    """Read ``(B (pol ...))``."""
    if len(item) != 2 or not isinstance(item[1], list) or item[1][:1] != ["pol"]:
        raise UnknownListError
    if len(item[1]) != 4:
        raise BadListError(f"{quote(item[1])} has not three numbers")
    return Polar(atom(item[0]), number(item[1][1]), number(item[1][2]), number(item[1][3]))


Percept = TypeVar("Percept")
FieldLists: TypeAlias = Mapping[str, tuple[str, Callable[[Fields], object]]]
"""By the first word of a list of named values: the field of the percept, and what reads its value."""


class PerceptParts(Generic[Percept]):
    """A percept while it is being put together from its lists.

    Args:
        make: makes the percept of its offset and its fields.
        one: lists that come once in a percept.
        many: lists of which there may be several; their field is a tuple.
        others: what reads the lists that are not of named values alone, by their first words.
    """

    def __init__(
        self,
        make: Callable[..., Percept],
        one: FieldLists,
        many: FieldLists,
        others: Mapping[str, Callable[[list[Node]], None]],
    ) -> None:
        self._make = make
        self._one = one
        self._many = many
        self._others = {"TCH": self._touch, **others}
        self._fields: dict[str, Any] = {}  # of the percept; tuples grow

    def percept(self, offset: int) -> Percept | None:
        """The percept of the lists so far, or None when there were none."""
        return self._make(offset, **self._fields) if self._fields else None

    def read(self, message: list[Node]) -> None:
        """Take in a message of one list.

        Raises:
            BadListError: the list, or something in it, is wrong.
            UnknownListError: the list, or something in it, is not known.
        """
        (items,) = (as_list(item) for item in message)
        if not items:
            raise BadListError("empty list")
        word = items[0] if isinstance(items[0], str) else ""
        if word in self._others:
            self._others[word](items)
        else:
            self._named_values(word, items[1:])

    def _named_values(self, word: str, items: list[Node]) -> None:
        put, lists = (self._once, self._one) if word in self._one else (self._add, self._many)
        if word not in lists:
            raise UnknownListError
        name, read = lists[word]
        fields = Fields(items)
        put(name, read(fields))
        fields.end()

    def _once(self, name: str, value: object) -> None:
        if name in self._fields:
            raise BadListError("twice in one percept")
        self._fields[name] = value

    def _add(self, name: str, value: object) -> None:
        self._fields[name] = (*self._fields.get(name, ()), value)

    def _touch(self, items: list[Node]) -> None:
        """Read ``(TCH n bumper val 1)`` or ``(TCH (n bumper) (val 1))``, as rcssservermj and as SimSpark write it."""
        if len(items) == 5 and items[1] == "n" and items[3] == "val":
            items = ["TCH", items[1:3], items[3:]]
        elif not any(isinstance(item, list) for item in items):
            raise BadListError("not of the form n <name> val <number>")
        self._named_values("TCH", items[1:])
