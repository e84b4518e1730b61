# SPDX-License-Identifier: Apache-2.0
"""One connection to the HTTP server: who sends no whole request in time loses it, and makes room for others."""

import asyncio
from typing import Any, Final

from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S: Final = 10.0  # for a whole request: its head and its body
# Connections, and those that are taken at once before one of them is looked at: some systems allow a process 256 files.
MOST: Final = 64


class Connection(H11Protocol):
    """Counts as waiting while its request is not here whole. The one that waits longest gives way to a new one.

    A connection is known to be of somebody with the token only when its head is here, so the time and the number of
    those that wait are limited before it.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.since = (
            self.loop.time()
        )  # when the request began that is not here whole, or the last answer ended
        self._begun = True  # a new connection owes its request at once
        self._look: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether the peer has to send the rest of a request, or the next one."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._end_if_late()
        here = [one for one in self.connections if not one.transport.is_closing()]
        waiting = [one for one in here if isinstance(one, Connection) and one.waits and one is not self]
        if waiting and len(here) > MOST:
            min(waiting, key=lambda one: one.since).transport.abort()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if not self._begun:
            self._begun, self.since = True, self.loop.time()
        super().data_received(data)

    @override
    def on_response_complete(self) -> None:
        self._begun, self.since = False, self.loop.time()
        super().on_response_complete()

    def _end_if_late(self) -> None:
        late = self.since + REQUEST_S
        if self.waits and self.loop.time() >= late:
            self.transport.abort()
        else:
            self._look = self.loop.call_later(REQUEST_S, self._end_if_late)
