# SPDX-License-Identifier: Apache-2.0
"""Readers of what all soccer simulators say that they see, from parsed lists."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from embodiment_bridge.protocols.soccer.list_fields import (
    BadListError,
    Fields,
    UnknownListError,
    atom,
    number,
    quote,
)
from embodiment_bridge.wire.sexpr import Node

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
