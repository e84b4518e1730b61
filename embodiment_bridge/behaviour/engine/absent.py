# SPDX-License-Identifier: Apache-2.0
"""Ports of a robot that has no player and no way to fetch: nodes that need them fail and say so."""

from embodiment_bridge.behaviour.engine.ports import FetchReport, SoundReport, SoundRequest
from embodiment_bridge.core.errors import CommandError


class NoMedia:
    """A ``MediaPort`` that has nothing to play on."""

    speaks = False

    def start(self, request: SoundRequest) -> None:
        """See ``MediaPort``: always refused."""
        raise CommandError("this robot has no player")

    def report(self, request_id: str) -> SoundReport:
        """See ``MediaPort``: nothing was ever started."""
        raise CommandError(f"no sound {request_id!r} was started")

    def cancel(self, request_id: str) -> None:
        """See ``MediaPort``: nothing to end."""

    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        """See ``MediaPort``: always refused."""
        raise CommandError("this robot has no player")

    def hold(self, on: bool) -> None:
        """See ``MediaPort``: nothing to freeze."""


class NoRequests:
    """A ``RequestPort`` that reaches nobody."""

    def start(self, request_id: str, url: str) -> None:
        """See ``RequestPort``: always refused."""
        raise CommandError("this robot fetches no documents")

    def report(self, request_id: str) -> FetchReport:
        """See ``RequestPort``: nothing was ever started."""
        raise CommandError(f"no fetch {request_id!r} was started")

    def cancel(self, request_id: str) -> None:
        """See ``RequestPort``: nothing to end."""
