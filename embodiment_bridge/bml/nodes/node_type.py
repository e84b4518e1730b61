# SPDX-License-Identifier: Apache-2.0
"""The description of a node type. Reading, writing, checking and estimating ask it, by the registry."""

import dataclasses
from collections.abc import Callable, Mapping, Set
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from embodiment_bridge.bml.base.problems import Problems
from embodiment_bridge.bml.fields.field import ABSENT, Field, Object
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import Child
from embodiment_bridge.bml.nodes.node import Node
from embodiment_bridge.bml.nodes.timing import Lengths, Timing
from embodiment_bridge.body.state import SkillInfo

N = TypeVar("N", bound=Node)
Skills = Mapping[str, SkillInfo]
Given = dict[str, Any]
"""Attributes of a node by name."""


class Surroundings(NamedTuple):
    """Holds what a node is checked against: the body, and the rest of its document.

    url_refusal: why a URL is refused, empty when it is not. names: of all nodes. sounds: what is heard, by name.
    begun_together: ids of the children of parallels.
    """

    skills: Skills
    skip_unknown: bool
    speech: bool
    url_refusal: Callable[[str], str]
    names: Set[str]
    sounds: Mapping[str, Node]
    begun_together: Set[int]


class Use(NamedTuple):
    """Names the channels that a leaf drives and a source may be denied, and the key that says so."""

    what: str
    channels: tuple[str, ...]
    key: str


class NodeType(Generic[N]):
    """Describes a type of node: keys, reading, writing, estimate and checks.

    name: of the type, as written under ``type`` or as people call what is made for a key.
    made: the class of its nodes. fields: its own keys, in the order in which they are read and written.
    spellings: other words for the type in tolerant reading.
    is_written: whether it stands under ``type``; else it is made for a key of other nodes only.
    has_children: whether it may have a ``finally``. halts_children: whether it halts what runs below it when it ends.
    begins_together: whether all its children begin when it does.
    """

    name: ClassVar[str]
    meaning: ClassVar[str] = ""
    made: type[N]
    fields: ClassVar[tuple[Field, ...]] = ()
    spellings: ClassVar[tuple[str, ...]] = ()
    is_written: ClassVar[bool] = True
    has_children: ClassVar[bool] = False
    halts_children: ClassVar[bool] = False
    begins_together: ClassVar[bool] = False
    colour: ClassVar[str] = "#ffffff"

    def __init__(self) -> None:
        self.own_keys = frozenset(field.key for field in self.fields)
        self._table = [(field.key, field.target, field, field.may_be_absent) for field in self.fields]
        self._defaults = {
            field.target: field.default
            for field in self.fields
            if field.may_be_absent and field.default is not None
        }
        given = {field.name: field for field in dataclasses.fields(self.made)}
        self._written = [
            (field.key, field.target, field, field.required, _default(field, given.get(field.target)))
            for field in self.fields
        ]

    @property
    def known_keys(self) -> frozenset[str]:
        """The keys that reading does not wonder about."""
        return self.own_keys

    # Reading.

    def values_in(self, raw: Raw, pointer: str, values: Values) -> Given:
        """Return the attributes that the keys of a node give."""
        found = self._defaults.copy()
        for key, target, field, may_be_absent in self._table:
            if key in raw:
                found[target] = field.read(raw, pointer, key, values)
            elif not may_be_absent:
                value = self._absent(field, raw, pointer, values)
                if value is not ABSENT:
                    found[target] = value
        return found

    def _absent(self, field: Field, raw: Raw, pointer: str, values: Values) -> object:
        if field.aliases:
            key = field.key_in(raw, pointer, values)
            if key is not None:
                return field.read(raw, pointer, key, values)
        return field.absent(raw, pointer, values)

    def also_known(self, raw: Raw) -> frozenset[str]:
        """Return keys of this node that are read although the type does not have them."""
        return frozenset(
            next((alias for alias in field.aliases if alias in raw), "")
            for field in self.fields
            if field.aliases and field.key not in raw
        )

    def children_in(self, raw: Raw, pointer: str, found: Given, values: Values) -> list[Child] | None:
        """Return the values of the nodes below, None for a leaf; ``found`` are the attributes read so far."""
        return None

    def node(self, given: Given, children: tuple[Node, ...]) -> N:
        """Return the node.

        ``given`` are the attributes read, and the pointer and name (and extra) that all nodes have.
        """
        return self.made(**given)

    # Writing and showing.

    def written(self, node: N, objects: Mapping[int, Object]) -> Object:
        """Return the node as JSON values without its type and name.

        ``objects`` are all below it, by id of the node.
        """
        return {
            key: field.write(value)
            for key, target, field, required, default in self._written
            if (value := getattr(node, target)) != default or required
        }

    def label(self, node: N) -> str:
        """Return the action of a leaf, in a few words.

        A URL is shown without user, query and fragment, where secrets are.
        """
        return ""

    def title(self, node: N) -> str:
        """Return the text that a drawing shows beside the type."""
        return self.label(node)

    def details(self, node: N) -> list[str]:
        """Return the values of its keys, in words."""
        return []

    def schema_of_children(self) -> dict[str, Object]:
        """Return the schema of its keys that are no attributes."""
        return {}

    def constraints(self) -> list[Object]:
        """Return the part of the schema that is not about single keys."""
        return []

    # Against a body.

    def check(self, node: N, around: Surroundings, problems: Problems) -> None:
        """Note what cannot be done."""

    def uses(self, node: N, skills: Skills) -> Use | None:
        """Return the channels that it drives, also those that the body lacks."""
        return None

    def drives(self, node: N, skills: Skills) -> tuple[str, ...]:
        """Return the channels that the body gives it."""
        return ()

    def is_heard(self, node: N) -> bool:
        """Return whether it is a sound at whose words others may begin."""
        return False

    # When it ends.

    def timing(self, node: N, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate a node from the estimates of the nodes below it."""
        raise NotImplementedError

    def reached(self, node: N, below: list[Timing]) -> int:
        """Count the nodes below that can be reached."""
        return len(below)

    def halt_s(self, below: list[Timing]) -> float:
        """Return the longest in s that the clean-ups inside take when it is halted."""
        return max([one.halt_s for one in below], default=0.0)

    def ends_node(self, node: N) -> str:
        """Return the name of a node that it may end."""
        return ""

    def pauses_sound(self, node: N) -> bool:
        """Return whether it may end or pause sound that players play."""
        return False

    def can_be_paused(self, node: N) -> bool:
        """Return whether it is sound that a player may pause or end."""
        return False

    def is_endless(self, node: N) -> bool:
        """Return whether it repeats until its child or something outside ends it."""
        return False

    def canonical(self, node: N) -> Node:
        """Return what reading would have made of it; for documents that were put together by hand."""
        return node


def _default(field: Field, given: "dataclasses.Field[Any] | None") -> object:
    """Return the value of a node where the key is not written."""
    if field.default is not None or given is None:
        return field.default
    if given.default_factory is not dataclasses.MISSING:
        return given.default_factory()
    return given.default


class WrapperType(NodeType[N]):
    """Describes a type that is made from a key of other nodes, and goes round them.

    keys: those that ask for it; the first is written.
    """

    is_written = False
    keys: ClassVar[tuple[str, ...]]

    def suits(self, other: "NodeType[Any]") -> bool:
        """Return whether nodes of another type may have the key; what they have themselves is another thing."""
        return other.own_keys.isdisjoint(self.keys)

    def wanted(self, raw: Raw, pointer: str, values: Values) -> object:
        """Return the request of a node's keys: a Child is read and handed to ``around``; None: nothing."""
        (field,) = self.fields
        return field.read(raw, pointer, field.key, values)

    def around(self, node: Node, wanted: Any) -> Node:
        """Return the node wrapped in this one, or unchanged if the key asks for nothing."""
        (field,) = self.fields
        given = {"pointer": node.pointer, "name": node.name, "child": node, field.target: wanted}
        return self.made(**given)

    def schema_of_keys(self) -> dict[str, Object]:
        """Return the schema of each key."""
        return {field.key: field.described() for field in self.fields}
