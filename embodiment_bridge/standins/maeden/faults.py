# SPDX-License-Identifier: Apache-2.0
"""What the stand-in does wrong when asked to: as the simulator does now and then, or as a bad network would."""

from itertools import chain, zip_longest
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown

FAULTS: Final = ("none", "doubled", "mixed", "silent", "halves", "hang_up")


class Faults:
    """One fault for all agents.

    doubled: the first packet comes twice. mixed: it does, the lines of both copies in turn. silent: every ``every``-th
    answer does not come. halves: each answer comes in two pieces, the second a cycle later. hang_up: the link of an
    agent ends in place of its ``every``-th answer.

    Raises:
        ConfigError: no such fault.
    """

    def __init__(self, fault: str = "none", every: int = 10) -> None:
        if fault not in FAULTS:
            raise ConfigError(unknown("fault", fault, FAULTS))
        self._fault = fault
        self._every = every

    def first(self, lines: list[str]) -> list[str]:
        """The id line and the first packet."""
        agent, packet = lines[:1], lines[1:]
        if self._fault == "doubled":
            return [*agent, *packet, *packet]
        if self._fault == "mixed":
            late = [None, None, *packet]
            return [*agent, *(line for line in chain(*zip_longest(packet, late)) if line is not None)]
        return lines

    def drops(self, number: int) -> bool:
        """Whether the answer of that number (from 1) does not come."""
        return self._fault == "silent" and number % self._every == 0

    def hangs_up(self, number: int) -> bool:
        """Whether the link ends instead of the answer of that number."""
        return self._fault == "hang_up" and number >= self._every

    def pieces(self, data: bytes) -> tuple[bytes, bytes]:
        """What is sent now, and what a cycle later."""
        middle = len(data) // 2 if self._fault == "halves" else len(data)
        return data[:middle], data[middle:]
