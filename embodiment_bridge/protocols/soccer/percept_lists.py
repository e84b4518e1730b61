# SPDX-License-Identifier: Apache-2.0
"""Puts a percept together list by list, in any order and with blanks anywhere: this is what the format is."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from embodiment_bridge.protocols.soccer.list_fields import BadListError, Fields, UnknownListError
from embodiment_bridge.protocols.soccer.percept_items import as_list
from embodiment_bridge.wire.sexpr import Node

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
