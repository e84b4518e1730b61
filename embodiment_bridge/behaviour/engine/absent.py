# SPDX-License-Identifier: Apache-2.0
"""Ports of a robot that has no player and no way to fetch: nodes that need them fail and say so."""

from typing_extensions import override

from embodiment_bridge.behaviour.engine.ports import (
    FetchReport,
    MediaPort,
    Read,
    RequestPort,
    SoundReport,
    SoundRequest,
)
from embodiment_bridge.core.errors import CommandError


class NoMedia(MediaPort):
    """Has nothing to play on: refuses what is to be heard, and has nothing to end or to freeze."""

    speaks = False

    @override
    def start(self, request: SoundRequest) -> None:
        raise CommandError("this robot has no player")

    @override
    def report(self, request_id: str) -> SoundReport:
        raise CommandError(f"no sound {request_id!r} was started")

    @override
    def cancel(self, request_id: str) -> None:
        pass

    @override
    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        raise CommandError("this robot has no player")

    @override
    def hold(self, on: bool) -> None:
        pass


class NoRequests(RequestPort):
    """Fetches nothing: refuses each request."""

    @override
    def start(self, request_id: str, url: str, read: Read) -> None:
        raise CommandError("this robot fetches no documents")

    @override
    def report(self, request_id: str) -> FetchReport:
        raise CommandError(f"no fetch {request_id!r} was started")

    @override
    def cancel(self, request_id: str) -> None:
        pass
