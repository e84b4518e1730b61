# SPDX-License-Identifier: Apache-2.0
"""Gets a fallen body up without being asked."""

SKILL = "get_up"
LYING_S = 1.0  # s that the body lies before it gets up: one that still rolls would be on its other side


class AutoGetUp:
    """Says when to start the skill ``get_up``: after a second of lying in which no other skill was for that."""

    def __init__(self) -> None:
        self._lying_s = 0.0
        self._tries = 0

    def request(self, fallen: bool, busy: bool, dt: float) -> str:
        """The id of a request to start now, ``dt`` s after the last call; empty: none.

        busy: a skill for fallen bodies runs, or everything is held.
        """
        self._lying_s = self._lying_s + dt if fallen and not busy else 0.0
        if self._lying_s < LYING_S:
            return ""
        self._lying_s = 0.0
        self._tries += 1
        return f"auto_get_up {self._tries}"
