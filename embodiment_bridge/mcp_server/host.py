# SPDX-License-Identifier: Apache-2.0
"""The host of a language model: what the operator lets it do, and pings as long as something of it runs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import anyio
import mcp.types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from embodiment_bridge.bml.rules.operator_rules import EVERYTHING, Allowed
from embodiment_bridge.core.errors import ConfigError, unknown

SOURCE: Final = "mcp"  # of its documents, for source_channels
BOTH: Final = {"arms": ("arm_l", "arm_r"), "hands": ("hand_l", "hand_r")}


@dataclass(frozen=True, slots=True)
class Options:
    """read_only: it may look and stop, and move nothing. ask: each run waits for the agreement of a person.

    allowed: channels; None: those that the behaviour tree allows. host_timeout: s without an answer to a ping after
    which the host counts as gone.
    """

    read_only: bool = False
    ask: bool = False
    allowed: Allowed | None = None
    host_timeout: float = 10.0


def allowed_channels(names: Iterable[str]) -> Allowed:
    """Channels by name; ``arms`` and ``hands`` are both of them.

    Raises:
        ConfigError: an unknown channel.
    """
    found: set[str] = set()
    for name in filter(None, names):
        if name not in EVERYTHING and name not in BOTH:
            raise ConfigError(f"--channels: {unknown('channel', name[:40], (*EVERYTHING, *BOTH))}")
        found |= set(BOTH.get(name, (name,)))
    return Allowed(SOURCE, frozenset(found))


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
            except (MCPError, ValidationError) as error:
                if isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
                    return
                # Any other error is an answer, too, and so is what is no answer to a ping.
        if scope.cancelled_caught:
            return
        await anyio.sleep(pause)


async def _ping(context: Context, related: types.RequestId | None) -> None:
    await context.session.send_request(
        types.PingRequest(),
        types.EmptyResult,
        metadata=ServerMessageMetadata(related_request_id=related),
    )
