# SPDX-License-Identifier: Apache-2.0
"""Whether the host of a language model is still there: it is pinged as long as something of it runs."""

from typing import Any, TypeAlias

import anyio
import mcp.types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

Context: TypeAlias = ServerRequestContext[Any, Any]
PERIOD = 1.0  # s between an answer and the next ping, at most
SHARE = 0.25  # of the time-out


async def until_gone(context: Context, limit: float, *, in_call: bool) -> None:
    """Ping the host; return when it has not answered for ``limit`` s, or its connection is closed.

    ``in_call``: the call of ``context`` is not answered yet, so that its own channel can be used (HTTP).
    """
    related = context.request_id if in_call else None
    pause = min(PERIOD, SHARE * limit)
    while True:
        with anyio.move_on_after(limit - pause) as scope:
            try:
                await _ping(context, related)
            except MCPError as error:
                if error.code == types.CONNECTION_CLOSED:
                    return
                # Any other error is an answer, too.
        if scope.cancelled_caught:
            return
        await anyio.sleep(pause)


async def _ping(context: Context, related: types.RequestId | None) -> None:
    await context.session.send_request(
        types.PingRequest(),
        types.EmptyResult,
        metadata=ServerMessageMetadata(related_request_id=related),
    )
