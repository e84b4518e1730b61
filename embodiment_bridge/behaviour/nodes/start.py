# SPDX-License-Identifier: Apache-2.0
"""A node that begins at a word of a sound."""

from collections.abc import Iterator
from math import inf

from py_trees.behaviour import Behaviour

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.context import Playing
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.decorators import PassThrough
from embodiment_bridge.behaviour.nodes.tree_builder import makes
from embodiment_bridge.bml.base.texts import place_of
from embodiment_bridge.bml.nodes import start as bml


class Start(PassThrough):
    """Runs its child from ``offset_s`` after the sound named ``at`` has come to the word ``mark``.

    A sound that ends before, or never begins while all beside this node come to their end, has the child begin then,
    with a warning: what follows must not wait for a word that is never said.
    """

    def __init__(self, name: str, child: Node, at: str, mark: str, offset_s: float) -> None:
        super().__init__(name, child)
        self.at, self.mark, self.offset_s = at, mark, offset_s

    def reset(self) -> None:
        """Forget the last mark."""
        super().reset()
        self._t_mark: float | None = None
        self._looked = False

    def work(self) -> Iterator[Behaviour]:
        """Listen, then tick the child."""
        if not self._begun:
            if self._t_mark is None:
                self._t_mark = self._moment()
            t = self.wake_at()
            if not self.context.clock.due(t):
                return
            self._begun = True
            self.child.begin(t)
        yield from super().work()

    def _moment(self) -> float | None:
        """Return the run time of the mark; None while it has not come."""
        now = max(self.context.clock.seconds, self.t_start)
        sound = self.context.sounds.get(self.at)
        looked, self._looked = self._looked, True
        if sound is not None and sound.t_start >= self.t_start - TIE_S:
            if not sound.over:
                sound.look()  # it may have its turn after this node
            if sound.words >= self._wanted(sound):
                return now
            if sound.over:
                return self._missed(now, "the sound ended before the word")
        elif looked and not any(one.running for one in self._beside()):
            return self._missed(now, f"no sound {self.at!r} has begun")
        return None

    def _wanted(self, sound: Playing) -> float:
        """Count the words that must have begun."""
        if not self.mark:
            return 0
        place = place_of(self.mark, sound.request.content)
        return inf if place is None else place + 1

    def _beside(self) -> list[Node]:
        above = self.parent
        return (
            []
            if above is None
            else [one for one in above.children if one is not self and isinstance(one, Node)]
        )

    def _missed(self, now: float, why: str) -> float:
        self.context.journal.warn(now, self.origin, "MARK_NOT_HEARD", f"begins without its mark: {why}")
        return now

    def active_children(self) -> list[Node]:
        """Return the child, once it has begun."""
        return [self.child] if self._begun else []

    def left_s(self) -> float:
        return Node.left_s(self)

    @property
    def ends_with_child(self) -> bool:
        return False

    def wake_at(self) -> float:
        """Return when the child begins; inf while only the player knows."""
        return inf if self._t_mark is None or self._begun else self._t_mark + self.offset_s


@makes("start")
def make_start(node: bml.Start, children: list[Node], nesting: int) -> Node:
    return Start(node.name, children[0], node.at, node.mark, node.offset_s)
