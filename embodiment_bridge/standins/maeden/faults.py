# SPDX-License-Identifier: Apache-2.0
"""Faults of the stand-in on request: those of the simulator, and those of a bad network."""

from itertools import chain, zip_longest
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown

FAULTS: Final = ("none", "doubled", "mixed", "silent", "halves", "hang_up")


class Faults:
    """One fault for all agents.

    doubled: the first packet is sent twice. mixed: also, with alternating lines of both copies. silent: every
    ``every``-th answer is not sent. halves: each answer is sent in two pieces, the second a cycle later. hang_up: the
    link of an agent ends in place of its ``every``-th answer.

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
        """Whether the answer with this number (from 1) is not sent."""
        return self._fault == "silent" and number % self._every == 0

    def hangs_up(self, number: int) -> bool:
        """Whether the link ends in place of the answer with this number."""
        return self._fault == "hang_up" and number >= self._every

    def pieces(self, data: bytes) -> tuple[bytes, bytes]:
        """The bytes to send now, and those to send a cycle later."""
        middle = len(data) // 2 if self._fault == "halves" else len(data)
        return data[:middle], data[middle:]
