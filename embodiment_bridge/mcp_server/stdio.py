# SPDX-License-Identifier: Apache-2.0
"""Serves one host on standard input and output, until the host closes the pipe or a signal comes."""

import os
import select
import signal
import stat
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final, cast

import anyio
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server

from embodiment_bridge.mcp_server.freezing import mended
from embodiment_bridge.mcp_server.server import RobotServer

LONGEST_LINE: Final = 4 * 1024 * 1024  # bytes of a message
CHUNK: Final = 65536
AHEAD: Final = 64  # lines that are read before they are served, and answers that wait until they are written
LAST_WORDS_S: Final = 2.0  # for what is still to be written after the host has closed standard input


class StandardInput:
    """The lines of standard input, read by a thread that keeps no program from ending. Long lines are cut.

    File descriptor 0 leads nowhere afterwards, so that programs that are started do not read from the host.
    """

    def __init__(self) -> None:
        self._fd = os.dup(0)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        self._send, self._receive = anyio.create_memory_object_stream[str](AHEAD)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Each line, until the end."""
        token = anyio.lowlevel.current_token()
        threading.Thread(target=self._read, args=(token,), name="stdin", daemon=True).start()
        async with self._receive:
            async for line in self._receive:
                yield line

    def _read(self, token: Any) -> None:
        rest = b""
        while chunk := os.read(self._fd, CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if not self._hand_on(line, token):
                    return
            rest = rest[: LONGEST_LINE + 1]
        if rest:
            self._hand_on(rest, token)
        anyio.from_thread.run_sync(self._send.close, token=token)

    def _hand_on(self, line: bytes, token: Any) -> bool:
        text = line[:LONGEST_LINE].decode(errors="replace")
        try:
            anyio.from_thread.run(self._send.send, text, token=token)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.RunFinishedError, RuntimeError):
            return False  # the server has ended
        return True


class StandardOutput:
    """Writes to the host; a write that waits for a host that does not read can be canceled.

    File descriptor 1 leads to standard error afterwards, so that nothing else gets between the messages.
    """

    def __init__(self) -> None:
        self._fd = os.dup(1)
        kind = os.fstat(self._fd).st_mode
        # Others, such as a file or /dev/null, always take what is written, and cannot be waited for.
        self._waits = stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or os.isatty(self._fd)
        os.dup2(2, 1)
        self._lock = anyio.Lock()

    async def write(self, text: str) -> None:
        """Write all of it, before what is asked for later.

        Raises:
            anyio.ClosedResourceError: nobody can read it any more.
        """
        data = memoryview(text.encode(errors="replace"))
        async with self._lock:
            while data:
                if self._waits:
                    await anyio.wait_writable(self._fd)  # for so many bytes at least
                try:
                    data = data[os.write(self._fd, data[: select.PIPE_BUF]) :]
                except BrokenPipeError:
                    raise anyio.ClosedResourceError from None

    async def flush(self) -> None:
        """Do nothing: ``write`` keeps nothing back."""


class Mended:
    """The lines of standard input in the form in which they can be served; see ``freezing.mended``.

    ``write`` writes what is answered at once. A host that does not read its answers does not get all of these.
    """

    def __init__(self) -> None:
        self._lines = StandardInput()
        self._send, self._answers = anyio.create_memory_object_stream[str](AHEAD)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Each line that is to be served."""
        with self._send:
            async for line in self._lines:
                for text, answer in mended(line) if line.strip() else ():
                    if answer:
                        with suppress(anyio.WouldBlock):
                            self._send.send_nowait(f"{answer}\n")
                    if text:
                        yield text

    async def write(self, out: StandardOutput) -> None:
        """Write the answers, until the end of input or until nobody can read them."""
        with self._answers, suppress(anyio.ClosedResourceError):
            async for answer in self._answers:
                await out.write(answer)


async def serve(server: RobotServer) -> None:
    """Serve until the end of standard input, SIGINT or SIGTERM."""
    mended_input, output = Mended(), StandardOutput()
    lines = cast("anyio.AsyncFile[str]", mended_input)  # it is only iterated over
    out = cast("anyio.AsyncFile[str]", output)  # only written to, and flushed
    async with anyio.create_task_group() as group:
        group.start_soon(_end_on_signals, group.cancel_scope)
        group.start_soon(mended_input.write, output)
        async with server.lifespan(server), stdio_server(stdin=lines, stdout=out) as (read, write):
            options = server.create_initialization_options()
            await serve_loop(server, read, write, lifespan_state=None, init_options=options)
            group.start_soon(_give_up, group.cancel_scope)
        group.cancel_scope.cancel()


async def _give_up(scope: anyio.CancelScope) -> None:
    await anyio.sleep(LAST_WORDS_S)
    scope.cancel()


async def _end_on_signals(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


def say(text: str) -> None:
    """A line for people, beside the protocol."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
