# SPDX-License-Identifier: Apache-2.0
"""Tools to try a document out: breakpoints, single steps, and failures that a rehearsal injects."""

from collections.abc import Iterable, Mapping

from embodiment_bridge.behaviour.engine.journal import Journal, Origin
from embodiment_bridge.core.errors import ConfigError


class Failures:
    """Holds ``reasons`` by name or JSON pointer of a node; such a node fails as soon as it begins.

    ``happened`` has those of them that a node has met.
    """

    def __init__(self, reasons: Mapping[str, str] | None = None) -> None:
        self._reasons = dict(reasons or {})
        self.happened: set[str] = set()

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._reasons)

    def reason_for(self, origin: Origin) -> str | None:
        """Return why the node at ``origin`` fails; None if it does not."""
        for key in (origin.pointer, *filter(None, [origin.name])):
            if key in self._reasons:
                self.happened.add(key)
                return self._reasons[key]
        return None

    @property
    def missed(self) -> list[str]:
        """The failures that have not happened."""
        return [key for key in self._reasons if key not in self.happened]


MAX_BREAKPOINTS = 100


class Gate:
    """Decides which nodes are held back when they are about to begin.

    ``stepping``: the run goes on until one node has begun or ended; what would begin after that is held back.
    """

    def __init__(self, journal: Journal) -> None:
        self.breakpoints: frozenset[str] = frozenset()
        self.stepping = False
        self._journal = journal
        self._transitions = 0

    def set_breakpoints(self, names: Iterable[str]) -> None:
        """Set the breakpoints: names and JSON pointers of nodes.

        Raises:
            ConfigError: there are too many, or one is not a text.
        """
        wanted = frozenset(names)
        if len(wanted) > MAX_BREAKPOINTS:
            raise ConfigError(f"{len(wanted)} breakpoints; there may be {MAX_BREAKPOINTS}")
        for name in wanted:
            if not isinstance(name, str):
                raise ConfigError(f"a breakpoint is the name or JSON pointer of a node, not {name!r}")
        self.breakpoints = wanted

    def begin_step(self) -> None:
        """Begin a step, which ends with the next transition."""
        self.stepping = True
        self._transitions = self._journal.transitions

    @property
    def step_over(self) -> bool:
        """Whether the transition that ends a step has happened."""
        return self.stepping and self._journal.transitions > self._transitions

    def holds_back(self, origin: Origin, above: Origin | None) -> bool:
        """Return whether the node at ``origin``, which is about to begin inside the one at ``above``, must wait."""
        return self.step_over or self.stops_at(origin, above)

    def stops_at(self, origin: Origin, above: Origin | None) -> bool:
        """Return whether there is a breakpoint before the node at ``origin``.

        A node with its loop, box or condition is one node: only the outermost of those with its pointer counts.
        """
        if origin.pointer not in self.breakpoints and origin.name not in self.breakpoints - {""}:
            return False
        return above is None or (above.pointer, above.document) != (origin.pointer, origin.document)
