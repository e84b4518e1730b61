# SPDX-License-Identifier: Apache-2.0
"""From JSON values to the canonical tree, without recursion, noting every problem on the way.

Strategy: a walk in the order of the text reads the values of every node. A leaf is whole at once; a node
with children becomes a draft that waits for them. Then the drafts are built from the last to the first, so
that the children of a node are there when it is built.
"""

from embodiment_bridge.bml.document import Node
from embodiment_bridge.bml.reading import children, inner, spelling
from embodiment_bridge.bml.reading.children import CHILD_KEYS, Child
from embodiment_bridge.bml.reading.condition_reader import Reader
from embodiment_bridge.bml.reading.drafts import Common, Draft, build, wrapped
from embodiment_bridge.bml.reading.fields import Fields, Raw
from embodiment_bridge.bml.reading.leaves import LEAVES
from embodiment_bridge.bml.reading.pointer import at
from embodiment_bridge.bml.reading.problems import short
from embodiment_bridge.bml.reading.start_reader import begin
from embodiment_bridge.bml.reading.subtrees import Subtrees, filled_in

SHORTEST_TIMEOUT_S = 0.001


def normalise(root: Child, fields: Fields, subtrees: Subtrees) -> Node | None:
    """The canonical tree of a node; None when there are errors (they are noted in ``fields.problems``)."""
    walk = _Walk(fields, subtrees)
    tops = walk.read(root)
    if fields.problems.fatal or not tops:
        return None
    for draft in reversed(walk.drafts):
        build(draft)
    top = tops[0]
    return top.node if isinstance(top, Draft) else top


class _Walk:
    """One walk over a document in the order of its text."""

    def __init__(self, fields: Fields, subtrees: Subtrees) -> None:
        self.drafts: list[Draft] = []
        self._fields = fields
        self._subtrees = subtrees
        self._problems = fields.problems

    def read(self, root: Child) -> list[Draft | Node]:
        """Read all nodes; the list has the root's, or nothing when that one is bad."""
        tops: list[Draft | Node] = []
        todo = [(root, 1, tops)]
        limits = self._fields.limits
        left = limits.max_nodes
        while todo:
            child, depth, siblings = todo.pop()
            left -= 1
            if left < 0:
                text = f"the document has more than {limits.max_nodes} nodes"
                self._problems.error(child.pointer, "TOO_MANY_NODES", text)
                break
            if not isinstance(child.value, dict) or depth > limits.max_depth:
                self._note_unreadable(child)
                continue
            node, below = self._node(child)
            if node is not None:
                siblings.append(node)
            for item in reversed(below):
                into = [] if not isinstance(node, Draft) else node.cleanup if item.cleanup else node.children
                todo.append((item, depth + 1, into))
        return tops

    def _note_unreadable(self, child: Child) -> None:
        if not isinstance(child.value, dict):
            text = f"a node must be an object, not {short(child.value)}"
            self._problems.error(child.pointer, "WRONG_TYPE", text)
        else:
            text = f"nodes are nested deeper than {self._fields.limits.max_depth}"
            self._problems.error(child.pointer, "TOO_DEEP", text)

    def _node(self, child: Child) -> tuple[Draft | Node | None, list[Child]]:
        raw, pointer, fields, scope = child.value, child.pointer, self._fields, child.scope
        if scope is not None:
            raw = filled_in(raw, pointer, scope, self._problems)
        kind = self._kind(raw, pointer)
        if kind is None:
            return None, [item._replace(scope=scope) for item in self._below_unknown(raw, pointer)]
        common = self._common(raw, pointer, kind, child.name)
        leaf = LEAVES.get(kind)
        if leaf is not None:
            return wrapped(leaf(raw, pointer, common, fields), common), []
        if kind == "subtree":
            draft, below = self._subtrees.open(raw, pointer, common, scope, fields)
        elif kind == "loop":
            draft, below = inner.loop(raw, pointer, common, fields)
        else:
            draft, below = inner.composite(raw, pointer, kind, common, fields)
        self.drafts.append(draft)
        if scope is not None and kind != "subtree":
            below = [item._replace(scope=scope) for item in below]
        return draft, below

    def _common(self, raw: Raw, pointer: str, kind: str, name: str) -> Common:
        # Most keys of most nodes are not there: asking first saves a third of the time of a whole document.
        fields, duration, count = self._fields, None, 1
        if "name" in raw:
            name = fields.text(raw, pointer, "name", fields.limits.max_name) or name
        if "duration" in raw:
            duration = fields.number(raw, pointer, "duration", 0.0, fields.limits.max_duration_s)
        if "loop" in raw or "repeat" in raw or kind == "loop":
            count = self._count(raw, pointer, kind)
        if "timeout" not in raw and "condition" not in raw and "start" not in raw:
            return Common(name, count, duration)
        timeout = fields.number(raw, pointer, "timeout", SHORTEST_TIMEOUT_S, fields.limits.max_duration_s)
        condition = None
        if "condition" in raw:
            condition = Reader(fields).read(raw["condition"], at(pointer, "condition"))
        start = begin(raw["start"], at(pointer, "start"), fields) if "start" in raw else None
        return Common(name, count, duration, timeout, condition, start)

    def _kind(self, raw: Raw, pointer: str) -> str | None:
        if "type" not in raw:
            return self._kind_from_children(raw, pointer)
        text = raw["type"]
        if not isinstance(text, str):
            self._fields.wrong_type(pointer, "type", text, "the name of a node type")
            return None
        if text in spelling.TYPES:
            return text
        kind = spelling.node_type(text)
        where = at(pointer, "type")
        if kind is not None:
            self._problems.tolerated(where, "TYPE_SPELLING", f"the type {short(text)} is read as '{kind}'")
        else:
            message = self._problems.unknown("node type", text, spelling.TYPES)
            self._problems.error(where, "UNKNOWN_TYPE", message)
        return kind

    def _kind_from_children(self, raw: Raw, pointer: str) -> str | None:
        kind = "sequence" if any(key in raw for key in CHILD_KEYS) else "loop" if "behavior" in raw else None
        if kind is None:
            self._problems.error(pointer, "MISSING_TYPE", "a node without children needs the key 'type'")
        else:
            text = f"the key 'type' is missing; a node with such children is read as a {kind}"
            self._problems.tolerated(pointer, "MISSING_TYPE", text)
        return kind

    def _below_unknown(self, raw: Raw, pointer: str) -> list[Child]:
        """What is below a node of no known type: its nodes may have errors of their own."""
        below: list[Child] = []
        if any(key in raw for key in CHILD_KEYS):
            below = children.find(raw, pointer, "node", self._fields)
        if "behavior" in raw:
            below.append(Child(at(pointer, "behavior"), raw["behavior"]))
        return below + inner.cleanup(raw, pointer)

    def _count(self, raw: Raw, pointer: str, kind: str) -> int:
        """How often a node is executed in all: ``loop``, of which ``repeat`` is another word."""
        if "repeat" not in raw:
            if "loop" in raw:
                return self._fields.count(raw, pointer, "loop")
            if kind == "loop":
                self._problems.tolerated(pointer, "LOOP_MISSING", "a loop without 'loop' is executed once")
            return 1
        count = self._fields.count(raw, pointer, "repeat")
        where = at(pointer, "repeat")
        if "loop" not in raw:
            if kind == "loop":
                self._problems.tolerated(where, "ALIAS_KEY", "'repeat' of a loop is read as 'loop'")
            return count
        if self._fields.count(raw, pointer, "loop") != count:
            self._problems.error(where, "LOOP_AND_REPEAT", "'loop' and 'repeat' mean the same and differ")
        else:
            text = "'loop' and 'repeat' mean the same; one is enough"
            self._problems.tolerated(where, "LOOP_AND_REPEAT", text)
        return count
