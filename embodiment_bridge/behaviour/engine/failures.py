# SPDX-License-Identifier: Apache-2.0
"""Failures of nodes that a rehearsal injects, to try the branches for failures."""

from collections.abc import Mapping

from embodiment_bridge.behaviour.engine.journal import Origin


class Failures:
    """``reasons`` by the name or the JSON pointer of a node; such a node fails as soon as it begins.

    ``happened`` has those of them that a node has met.
    """

    def __init__(self, reasons: Mapping[str, str] | None = None) -> None:
        self._reasons = dict(reasons or {})
        self.happened: set[str] = set()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._reasons)

    def reason_for(self, origin: Origin) -> str | None:
        """Why the node at ``origin`` fails; None: it does not."""
        for key in (origin.pointer, *filter(None, [origin.name])):
            if key in self._reasons:
                self.happened.add(key)
                return self._reasons[key]
        return None

    @property
    def missed(self) -> list[str]:
        """The failures that have not happened."""
        return [key for key in self._reasons if key not in self.happened]
