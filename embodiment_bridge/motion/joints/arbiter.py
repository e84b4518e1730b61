# SPDX-License-Identifier: Apache-2.0
"""Arbitrates the channels of a body between claims; the newest claim wins."""

from collections.abc import Iterable


class ChannelArbiter:
    """Remembers which claim holds which channel."""

    def __init__(self) -> None:
        self._holder: dict[str, str] = {}

    def claim(self, claim: str, channels: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Give ``channels`` to ``claim``.

        Returns:
            The claims that lost, each with all channels that it held; it holds none now.
        """
        wanted = tuple(channels)
        losers = {holder for channel, holder in self._holder.items() if channel in wanted and holder != claim}
        lost = {loser: self.release(loser) for loser in sorted(losers)}
        self._holder.update(dict.fromkeys(wanted, claim))
        return lost

    def release(self, claim: str) -> tuple[str, ...]:
        """Free the channels of ``claim``; return them in the order in which they were claimed."""
        held = self.held(claim)
        for channel in held:
            del self._holder[channel]
        return held

    def held(self, claim: str) -> tuple[str, ...]:
        """The channels that ``claim`` holds."""
        return tuple(channel for channel, holder in self._holder.items() if holder == claim)

    def holder(self, channel: str) -> str | None:
        """The claim that holds ``channel``, or None."""
        return self._holder.get(channel)
