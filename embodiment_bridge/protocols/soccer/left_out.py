# SPDX-License-Identifier: Apache-2.0
"""What a server sends that reaches no topic, so that people are told of it once."""

from typing import Final

MAX_TOLD: Final = 20  # sentences; a server that sends ever new names is not followed further


class LeftOut:
    """Collects sentences; each is given out once."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._new: list[str] = []

    def note(self, sentence: str) -> None:
        """Say this, unless it was said before."""
        if sentence not in self._told and len(self._told) < MAX_TOLD:
            self._told.add(sentence)
            self._new.append(sentence)

    def take(self) -> list[str]:
        """What is new since the last call."""
        if not self._new:
            return []
        new, self._new = self._new, []
        return new
