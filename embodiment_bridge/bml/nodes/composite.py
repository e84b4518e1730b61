# SPDX-License-Identifier: Apache-2.0
"""The node types with children: sequence and parallel, and what selectors share with them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import accumulate
from math import inf
from typing import ClassVar

from embodiment_bridge.bml.base.problems import at, short
from embodiment_bridge.bml.fields.field import Field, Object
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child, find
from embodiment_bridge.bml.nodes.node import Node, attributes
from embodiment_bridge.bml.nodes.node_type import Given, NodeType
from embodiment_bridge.bml.nodes.timing import (
    FAILS,
    LEFT_OUT,
    NEVER,
    SUCCEEDS,
    Lengths,
    Timing,
    Timings,
    deciding_ends,
    ends_when_undecided,
    exactly,
)


@dataclass(frozen=True)
class Policy(Field):
    """Reads a name that stands for a truth value; tolerant in case, and for ``SuccessOn...``, ``FailureOn...``."""

    default: bool = False
    _: KW_ONLY
    names: Mapping[str, bool]

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> bool:
        text = raw[key]
        if not isinstance(text, str):
            values.wrong_type(pointer, key, text, "the name of a policy")
            return self.default
        if text in self.names:
            return self.names[text]
        lower = re.sub("^failure", "fail", re.sub("^success", "succeed", text.lower()))
        name = next((name for name in self.names if name.lower() == lower), None)
        if name is None:
            message = values.problems.unknown(key, text, self.names)
            values.problems.error(at(pointer, key), "UNKNOWN_POLICY", message)
            return self.default
        message = f"the policy {short(text)} is read as {name}"
        values.problems.tolerated(at(pointer, key), "POLICY_SPELLING", message)
        return self.names[name]

    def write(self, value: bool) -> str:
        return next(name for name, meant in self.names.items() if meant == value)

    def schema(self) -> Object:
        return {"enum": list(self.names)}


def policies(*, usual: bool = False) -> tuple[Policy, Policy]:
    """Return the fields of both.

    ``usual``: one success is enough and all must fail, unless it is written otherwise.
    """
    success, failure = {"SucceedOnAll": False, "SucceedOnOne": True}, {"FailOnOne": False, "FailOnAll": True}
    return (
        Policy("successPolicy", attribute="succeed_on_one", default=usual, names=success),
        Policy("failurePolicy", attribute="fail_on_all", default=usual, names=failure),
    )


@attributes
class Composite(Node):
    """Holds children: ``kind`` is sequence, selector or parallel; the policies are resolved, with defaults.

    Only for selectors: ``reactive`` looks at the conditions of higher children again while a lower one runs;
    ``random`` tries the children in an order drawn by ``weights`` (empty: all the same).
    """

    kind: str
    children: tuple[Node, ...]
    succeed_on_one: bool = False
    fail_on_all: bool = False
    reactive: bool = False
    random: bool = False
    weights: tuple[float, ...] = ()

    @property
    def type_name(self) -> str:
        return self.kind

    @property
    def below(self) -> tuple[Node, ...]:
        return self.children

    def with_below(self, nodes: tuple[Node, ...]) -> Node:
        return replace(self, children=nodes)


class CompositeType(NodeType[Composite]):
    """Describes nodes with children under ``behaviors``. ``empty`` is the result of a node without any."""

    made = Composite
    fields: ClassVar[tuple[Field, ...]] = policies()
    has_children = True
    empty = SUCCEEDS

    def children_in(self, raw: Raw, pointer: str, found: Given, values: Values) -> list[Child]:
        inner = find(raw, pointer, self.name, values)
        if not inner:
            outcome = "succeeds" if self.empty == SUCCEEDS else "fails"
            note_if_empty(raw, pointer, self.name, outcome, values)
        return inner

    def node(self, given: Given, children: tuple[Node, ...]) -> Composite:
        return Composite(kind=self.name, children=children, **given)

    def written(self, node: Composite, objects: Mapping[int, Object]) -> Object:
        return {
            **super().written(node, objects),
            "behaviors": [objects[id(child)] for child in node.children],
        }

    def details(self, node: Composite) -> list[str]:
        """Name the policies that are not the usual ones."""
        return list(map(str, NodeType.written(self, node, {}).values()))

    def deciding(self, node: Composite) -> int:
        """Return the ends of one child that end it at once."""
        return deciding_ends(node.succeed_on_one, node.fail_on_all)

    def constraints(self) -> list[Object]:
        either = {"if": {"required": ["children"]}, "then": {"properties": {"behaviors": False}}}
        return [{**either, "else": {"required": ["behaviors"]}}]

    def schema_of_children(self) -> dict[str, Object]:
        return {key: {"$ref": "#/$defs/children"} for key in CHILD_KEYS}

    @property
    def known_keys(self) -> frozenset[str]:
        return self.own_keys | {*CHILD_KEYS}


def note_if_empty(raw: Raw, pointer: str, kind: str, outcome: str, values: Values) -> None:
    """Note that a composite has no children."""
    for key in CHILD_KEYS:
        if raw.get(key) in ([], {}):
            text = f"a {kind} without children {outcome} at once"
            values.problems.warning(at(pointer, key), "EMPTY_COMPOSITE", text)


class OrderedType(CompositeType):
    """Describes nodes whose children run one after the other."""

    def timing(self, node: Composite, below: list[Timing], lengths: Lengths) -> Timing:
        return in_order(below, self.deciding(node), self.empty)

    def reached(self, node: Composite, below: list[Timing]) -> int:
        deciding = self.deciding(node)
        return next((turns for turns, child in enumerate(below, 1) if not child.may & ~deciding), len(below))


def in_order(children: Timings, deciding: int, empty: int) -> Timing:
    """Estimate children one after the other; ``empty`` is the result without any."""
    if not children:
        return exactly(0.0, empty, empty)
    may, _ = _ends([child.may for child in children], deciding, empty)
    usual, turns = _ends([child.usual for child in children], deciding, empty)
    shortest = list(accumulate(child.min_s for child in children))
    longest = list(accumulate(child.max_s for child in children))
    last = children[turns - 1].usual
    ends = [place for place in range(turns) if children[place].usual & deciding]
    ends += [turns - 1] if last & ~deciding else []
    expects, expected = _expected(children, deciding, empty)
    return Timing(
        may=may,
        usual=usual,
        expects=expects,
        min_s=min((shortest[place] for place in ends), default=inf),
        expected_s=expected,
        max_s=inf if last == NEVER else max(longest[place] for place in ends),
    )


def _ends(ends: Sequence[int], deciding: int, empty: int) -> tuple[int, int]:
    """Return the possible results of a sequence from those of its children, and how many children can start."""
    found = 0
    for turns, end in enumerate(ends, 1):
        found |= end & deciding
        if not end & ~deciding:
            return found, turns
    return found | ends_when_undecided(ends, deciding, empty), len(ends)


def _expected(children: Timings, deciding: int, empty: int) -> tuple[int, float | None]:
    total: float | None = 0.0
    expects = empty if all(child.expects == LEFT_OUT for child in children) else SUCCEEDS
    for child in children:
        if child.expects == NEVER:
            return NEVER, inf
        total = None if total is None or child.expected_s is None else total + child.expected_s
        if child.expects & deciding:
            return child.expects, total
        expects = FAILS if child.expects == FAILS else expects
    return expects, total


class SequenceType(OrderedType):
    """Describes ``sequence``: children in order."""

    name = "sequence"
    meaning = "children in order"
    colour = "#dbe9ff"


SEQUENCE = SequenceType()


class ParallelType(CompositeType):
    """Describes ``parallel``: children at once; its end stops those that still run."""

    name = "parallel"
    meaning = "children at once"
    colour = "#e3d9ff"
    halts_children = True
    begins_together = True

    def timing(self, node: Composite, below: list[Timing], lengths: Lengths) -> Timing:
        if not below:
            return exactly(0.0, SUCCEEDS, SUCCEEDS)
        deciding = self.deciding(node)
        expects, expected = _parallel_expected(below, deciding)
        can_decide = [child.min_s for child in below if child.usual & deciding]
        if all(child.usual & ~deciding for child in below):
            can_decide.append(max(child.min_s for child in below))
        must_decide = [child.max_s for child in below if child.usual and not child.usual & ~deciding]
        return Timing(
            may=_parallel_ends([child.may for child in below], deciding),
            usual=_parallel_ends([child.usual for child in below], deciding),
            expects=expects,
            min_s=min(can_decide, default=inf),
            expected_s=expected,
            max_s=min(must_decide) if must_decide else max(child.max_s for child in below),
        )


def _parallel_ends(ends: Sequence[int], deciding: int) -> int:
    found = 0
    for end in ends:
        found |= end & deciding
    return found | ends_when_undecided(ends, deciding) if all(end & ~deciding for end in ends) else found


def _parallel_expected(children: Timings, deciding: int) -> tuple[int, float | None]:
    """Return the first expected end that decides; a child of unknown length is taken to end before the others."""
    for child in sorted(children, key=_moment):
        if child.expects & deciding:
            return child.expects, child.expected_s
    if any(child.expects == NEVER for child in children):
        return NEVER, inf
    expects = FAILS if any(child.expects == FAILS for child in children) else SUCCEEDS
    known = [child.expected_s for child in children if child.expected_s is not None]
    return expects, max(known) if len(known) == len(children) else None


def _moment(child: Timing) -> tuple[float, bool]:
    """Return when a child is expected to end; of two at one time the failing one is first."""
    return -1.0 if child.expected_s is None else child.expected_s, child.expects != FAILS


PARALLEL = ParallelType()
