# SPDX-License-Identifier: Apache-2.0
"""Where in a percept the joints of a body are."""

from collections.abc import Iterable


class JointOrder:
    """For each joint of a body its place in percepts, which a server sends in the same order each time.

    names: of the perceptors, in the order of the body; those of a newer server begin with ``q_``.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(name.removeprefix("q_") for name in names)
        self._order: tuple[int, ...] = ()
        self._order_of: tuple[str, ...] = ()

    def of(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """For each joint of the body, where it stands in ``names``; empty when one is missing."""
        if names != self._order_of:
            places = {name.removeprefix("q_"): i for i, name in enumerate(names)}
            order = [places.get(name) for name in self._names]
            self._order = tuple(i for i in order if i is not None) if None not in order else ()
            self._order_of = names
        return self._order
