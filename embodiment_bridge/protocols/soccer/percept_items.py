# SPDX-License-Identifier: Apache-2.0
"""Readers of what percepts of all soccer simulators hold, from parsed lists."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from embodiment_bridge.protocols.soccer import events
from embodiment_bridge.protocols.soccer.list_fields import (
    BadListError,
    Fields,
    UnknownListError,
    atom,
    integer,
    number,
    quote,
)
from embodiment_bridge.wire.sexpr import Node

T = TypeVar("T")


def gyro(items: list[Node], take: Callable[[events.Gyro], None]) -> None:
    """Read ``(GYR (n torso) (rt x y z))``; for what all these raise see ``list_fields``."""
    fields = Fields(items[1:])
    take(events.Gyro(fields.text("n"), *fields.numbers("rt", 3)))
    fields.end()


def accelerometer(items: list[Node], take: Callable[[events.Accelerometer], None]) -> None:
    """Read ``(ACC (n torso) (a x y z))``."""
    fields = Fields(items[1:])
    take(events.Accelerometer(fields.text("n"), *fields.numbers("a", 3)))
    fields.end()


def touch(items: list[Node], take: Callable[[events.Touch], None]) -> None:
    """Read ``(TCH n bumper val 1)`` or ``(TCH (n bumper) (val 1))``, as rcssservermj and as SimSpark write it."""
    if len(items) == 5 and items[1] == "n" and items[3] == "val":
        take(events.Touch(atom(items[2]), integer(items[4])))
        return
    if not any(isinstance(item, list) for item in items):
        raise BadListError("not of the form n <name> val <number>")
    fields = Fields(items[1:])
    take(events.Touch(fields.text("n"), fields.integer("val")))
    fields.end()


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
