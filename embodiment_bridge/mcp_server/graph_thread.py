# SPDX-License-Identifier: Apache-2.0
"""Passes results between the event loop, on which hosts are served, and the thread of the ROS graph."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def of_graph(future: "Future[T]") -> T:
    """Wait for what the thread of the graph does; a canceled wait leaves it as it is.

    Raises:
        BridgeError: what it raises.
    """
    return await asyncio.shield(asyncio.wrap_future(future))


def call_soon(loop: asyncio.AbstractEventLoop, action: Callable[..., None], *arguments: object) -> None:
    """Let the loop call something, from any thread; nothing happens when the server has ended."""
    with suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(action, *arguments)


def settle(future: "asyncio.Future[T]", result: T) -> None:
    """Give a future its result unless it has one, or nobody waits for it any more."""
    if not future.done():
        future.set_result(result)
