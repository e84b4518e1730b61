# SPDX-License-Identifier: Apache-2.0
"""``selector``: one child after the other until one succeeds; reactive, or in an order drawn at random."""

from dataclasses import dataclass, replace
from math import inf

from embodiment_bridge.bml.base.problems import at, short
from embodiment_bridge.bml.fields.field import Field, Flag, Number, Object
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import Child
from embodiment_bridge.bml.nodes.composite import Composite, OrderedType, in_order, policies
from embodiment_bridge.bml.nodes.decorators import Guard
from embodiment_bridge.bml.nodes.node_type import Given
from embodiment_bridge.bml.nodes.timing import EITHER, FAILS, NEVER, Lengths, Timing, Timings

WEIGHT = Number("weight", low=1e-6, high=1e6)


@dataclass(frozen=True)
class Weights(Field):
    """Reads a number for each child; how many there are is known later."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> tuple[float, ...]:
        value = raw[key]
        if not isinstance(value, list):
            values.wrong_type(pointer, key, value, "an array of numbers")
            return ()
        for place, weight in enumerate(value):
            is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
            if not is_number or not WEIGHT.low <= weight <= WEIGHT.high:
                text = f"a weight is a number from {WEIGHT.low:g} to {WEIGHT.high:g}, not {short(weight)}"
                values.problems.error(f"{at(pointer, key)}/{place}", "BAD_WEIGHTS", text)
                return ()
        return tuple(float(weight) for weight in value)

    def write(self, value: tuple[float, ...]) -> list[float | int]:
        return [WEIGHT.write(weight) for weight in value]

    def schema(self) -> Object:
        return {"type": "array", "items": WEIGHT.schema(), "maxItems": 1000}


class SelectorType(OrderedType):
    """Describes ``selector``: children by priority, or in a random order."""

    name = "selector"
    meaning = "children by priority, or in an order drawn at random"
    fields = (
        *policies(usual=True),
        Flag("reactive", "whether conditions of higher children are looked at again"),
        Flag("random", "whether the order is drawn"),
        Weights("weights", "one for each child"),
    )
    spellings = ("conditional",)  # ConditionalBehavior: the first child that can is the one
    colour = "#ffe8cc"
    empty = FAILS

    def children_in(self, raw: Raw, pointer: str, found: Given, values: Values) -> list[Child]:
        if not found["succeed_on_one"]:
            text = "a selector with SucceedOnAll needs the success of all children, as a sequence does"
            values.problems.warning(at(pointer, "successPolicy"), "SELECTOR_POLICY", text)
        if not found["fail_on_all"]:
            text = "a selector with FailOnOne tries only its first child that may run"
            values.problems.warning(at(pointer, "failurePolicy"), "SELECTOR_POLICY", text)
        inner = super().children_in(raw, pointer, found, values)
        if found["reactive"]:
            _look_at_reactive(pointer, found["random"], inner, values)
        if "weights" in raw:
            if "random" not in raw:
                values.problems.error(pointer, "MISSING_KEY", "'weights' needs the key 'random'")
            given = raw["weights"]
            if isinstance(given, list) and len(given) != len(inner):
                text = f"there are {len(given)} weights for {len(inner)} children"
                values.problems.error(at(pointer, "weights"), "BAD_WEIGHTS", text)
        return inner

    def details(self, node: Composite) -> list[str]:
        weights = f" {', '.join(f'{weight:g}' for weight in node.weights)}" if node.weights else ""
        words = super().details(replace(node, reactive=False, random=False, weights=()))
        return words + ["reactive"] * node.reactive + [f"random{weights}"] * node.random

    def constraints(self) -> list[Object]:
        reactive = {"properties": {"reactive": {"const": True}}, "required": ["reactive"]}
        return [
            *super().constraints(),
            {"if": reactive, "then": {"properties": {"random": {"const": False}}}},
            {"dependentRequired": {"weights": ["random"]}},
        ]

    def reached(self, node: Composite, below: list[Timing]) -> int:
        return len(below) if node.random else super().reached(node, below)

    def timing(self, node: Composite, below: list[Timing], lengths: Lengths) -> Timing:
        if node.random:
            return _in_any_order(below, self.deciding(node), self.empty)
        timing = super().timing(node, below, lengths)
        if node.reactive and any(isinstance(child, Guard) for child in node.children[:-1]):
            # How often a lower child is cut short by a higher one is not known.
            return replace(timing, expected_s=inf if timing.expects == NEVER else None, max_s=inf)
        return timing


def _look_at_reactive(pointer: str, random: bool, inner: list[Child], values: Values) -> None:
    if random:
        text = "a selector that draws the order of its children has no higher ones to look at again"
        values.problems.error(pointer, "REACTIVE_AND_RANDOM", text)
    if not any(isinstance(child.value, dict) and "condition" in child.value for child in inner[:-1]):
        text = "no child but the last has a condition: there is nothing to look at again"
        values.problems.warning(at(pointer, "reactive"), "REACTIVE_WITHOUT_CONDITION", text)


def _in_any_order(children: Timings, deciding: int, empty: int) -> Timing:
    """Bound the estimate over all orders of the children."""
    timing = in_order(children, deciding, empty)
    if len(children) < 2:
        return timing
    alike = len({(child.expects, child.expected_s) for child in children}) == 1
    may = usual = 0
    for child in children:
        may |= child.may & deciding
        usual |= child.usual & deciding
    if all(child.may & ~deciding for child in children):
        may |= timing.may
    if all(child.usual & ~deciding for child in children):
        usual |= timing.usual
    firsts = [child.min_s for child in children if child.usual & deciding]
    surely = all(child.usual and not child.usual & ~deciding for child in children)
    return Timing(
        may=may,
        usual=usual,
        expects=timing.expects if alike else _likely(children, deciding),
        min_s=min([*firsts, sum(child.min_s for child in children)]),
        expected_s=timing.expected_s if alike else None,
        max_s=max(child.max_s for child in children) if surely else sum(child.max_s for child in children),
    )


def _likely(children: Timings, deciding: int) -> int:
    """Return the end that is expected: that of a child which can be the first to decide."""
    for child in children:
        if child.expects & deciding & EITHER:
            return child.expects
    return next((child.expects for child in children if child.expects), NEVER)


SELECTOR = SelectorType()
