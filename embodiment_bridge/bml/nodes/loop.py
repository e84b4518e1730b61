# SPDX-License-Identifier: Apache-2.0
"""``loop``, as a type and as a key: a node that is executed several times."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from embodiment_bridge.bml.base.problems import at
from embodiment_bridge.bml.fields.field import Count, Object
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes import children
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child
from embodiment_bridge.bml.nodes.composite import Composite, note_if_empty, policies
from embodiment_bridge.bml.nodes.decorators import DURATION, Box
from embodiment_bridge.bml.nodes.node import Node, Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import Given, WrapperType
from embodiment_bridge.bml.nodes.timing import NEVER, Lengths, Timing, counted, deciding_ends

NO_TIME_S = 1e-3  # an iteration shorter than this takes no time of its own
MIN_PERIOD_S = 0.02  # then the next one begins this much later

COUNT = Count("loop", "executions in all; -1 for ever, default 1", attribute="count")


@dataclass(frozen=True)
class OwnCount(Count):
    """Reads the number of executions of a node of type loop: ``loop``, or ``repeat`` in tolerant reading."""

    def absent(self, raw: Raw, pointer: str, values: Values) -> int:
        if "repeat" not in raw:
            values.problems.tolerated(pointer, "LOOP_MISSING", "a loop without 'loop' is executed once")
            return 1
        text = "'repeat' of a loop is read as 'loop'"
        values.problems.tolerated(at(pointer, "repeat"), "ALIAS_KEY", text)
        return values.count(raw, pointer, "repeat")

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> int:
        return count_of(raw, pointer, values)


def count_of(raw: Raw, pointer: str, values: Values) -> int:
    """Read the number of executions of a node: ``loop``, of which ``repeat`` is another word."""
    if "repeat" not in raw:
        return values.count(raw, pointer, "loop")
    count = values.count(raw, pointer, "repeat")
    if "loop" in raw:
        where = at(pointer, "repeat")
        if values.count(raw, pointer, "loop") != count:
            values.problems.error(where, "LOOP_AND_REPEAT", "'loop' and 'repeat' mean the same and differ")
        else:
            text = "'loop' and 'repeat' mean the same; one is enough"
            values.problems.tolerated(where, "LOOP_AND_REPEAT", text)
    return count


@attributes
class Loop(Wrapper):
    """Runs ``child`` in ``count`` iterations, -1 for ever."""

    TYPE: ClassVar[str] = "loop"
    count: int
    succeed_on_one: bool = False
    fail_on_all: bool = False


class LoopType(WrapperType[Loop]):
    """Describes ``loop``, with policies over the iterations where it is a node of its own."""

    name = "loop"
    meaning = "executes its behavior several times"
    made = Loop
    fields = (OwnCount("loop", COUNT.meaning, attribute="count", required=True), *policies())
    keys = ("loop", "repeat")
    colour = "#d9f2e6"
    is_written = True
    has_children = True

    def __init__(self) -> None:
        super().__init__()
        self.own_keys |= {"duration", "behavior"}  # which are no attributes of a loop

    @property
    def known_keys(self) -> frozenset[str]:
        return self.own_keys | {"repeat"}

    def also_known(self, raw: Raw) -> frozenset[str]:
        return frozenset(CHILD_KEYS)

    def children_in(self, raw: Raw, pointer: str, found: Given, values: Values) -> list[Child]:
        """Return the behavior, or the children where several were given."""
        found["duration_s"] = DURATION.read(raw, pointer, "duration", values) if "duration" in raw else 0.0
        found["in_sequence"] = False
        several = [key for key in CHILD_KEYS if key in raw]
        if "behavior" in raw:
            if several:
                text = f"'behavior' and '{several[0]}' exclude each other"
                values.problems.error(pointer, "BOTH_CHILD_KEYS", text)
            return [Child(at(pointer, "behavior"), raw["behavior"])]
        if not several:
            values.problems.error(pointer, "MISSING_KEY", "a loop needs the key 'behavior'")
            return []
        text = f"a loop has one 'behavior'; '{several[0]}' is read as a sequence"
        values.problems.tolerated(at(pointer, several[0]), "LOOP_CHILDREN", text)
        found["in_sequence"] = True
        inner = children.find(raw, pointer, "loop", values)
        note_if_empty(raw, pointer, "sequence", "succeeds", values)
        return inner

    def node(self, given: Given, children: tuple[Node, ...]) -> Loop:
        """Make the node; its ``duration`` is that of one iteration, so the box is inside."""
        given = dict(given)
        duration_s, in_sequence = given.pop("duration_s"), given.pop("in_sequence")
        pointer, name = given["pointer"], given["name"]
        child = children[0] if children and not in_sequence else None
        if child is None:
            child = Composite(pointer=pointer, name=name, kind="sequence", children=children)
        if duration_s:
            child = Box(pointer=pointer, name=name, duration_s=duration_s, child=child)
        return Loop(child=child, **given)

    def wanted(self, raw: Raw, pointer: str, values: Values) -> int:
        return count_of(raw, pointer, values)

    def around(self, node: Node, wanted: int) -> Node:
        if wanted == 1:
            return node
        return Loop(pointer=node.pointer, name=node.name, count=wanted, child=node)

    def is_key(self, node: Loop, inside: Object) -> bool:
        """Return whether it is what reading makes of the key ``loop`` of the node that is written as ``inside``."""
        core = node.child.child if isinstance(node.child, Box) else node.child
        at_one_place = node.pointer == core.pointer == node.child.pointer and node.name == core.name
        plain = not (node.succeed_on_one or node.fail_on_all or node.extra) and node.count != 1
        return at_one_place and plain and not isinstance(core, Loop) and core.type_name == inside["type"]

    def written(self, node: Loop, objects: Mapping[int, Object]) -> Object:
        """Write it as a node of its own; a box of the same place is its ``duration``."""
        values, child, box = super().written(node, objects), node.child, {}
        if isinstance(child, Box) and child.pointer == node.pointer:
            box = {"duration": DURATION.write(child.duration_s)}
            child = child.child
        return {"loop": values.pop("loop"), **box, "behavior": objects[id(child)], **values}

    def details(self, node: Loop) -> list[str]:
        policy = [
            str(field.write(value)) for field in self.fields[1:] if (value := getattr(node, field.target))
        ]
        return ["for ever" if node.count < 0 else f"{node.count} times", *policy]

    def schema_of_keys(self) -> dict[str, Object]:
        return {key: {"$ref": "#/$defs/count"} for key in self.keys}

    def schema_of_children(self) -> dict[str, Object]:
        return {"behavior": {"$ref": "#/$defs/child"}, "duration": DURATION.described()}

    def constraints(self) -> list[Object]:
        return [{"required": ["behavior"]}]

    def timing(self, node: Loop, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate all iterations; one that was left out does not count."""
        child, count = below[0], node.count
        deciding = deciding_ends(node.succeed_on_one, node.fail_on_all)
        decided = bool(child.expects & deciding)
        endless = child.expects == NEVER or (count < 0 and not decided)
        expected = child.expected_s
        if expected is not None and not decided:
            expected = _times(expected, count)
        # Iterations that take no time are spread by the engine.
        longest = child.max_s if child.min_s >= NO_TIME_S else max(child.max_s, MIN_PERIOD_S)
        surely_decides = child.usual != NEVER and not child.usual & ~deciding
        timing = Timing(
            may=child.may & deciding if count < 0 else child.may,
            usual=child.usual & deciding if count < 0 else child.usual,
            expects=NEVER if endless else child.expects,
            min_s=child.min_s if child.usual & deciding else _times(child.min_s, count),
            expected_s=inf if endless else expected,
            max_s=child.max_s if surely_decides else _times(longest, count),
        )
        return counted(timing)

    def is_endless(self, node: Loop) -> bool:
        return node.count < 0


def _times(seconds: float, count: int) -> float:
    return inf if count < 0 else seconds * count


LOOP = LoopType()
