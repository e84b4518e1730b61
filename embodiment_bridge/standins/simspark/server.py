# SPDX-License-Identifier: Apache-2.0
"""Serves the stand-in on its sockets.

One thread, a cycle of 20 ms, clients (non-blocking both ways) cannot block it.
"""

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.standins.simspark.agents import AgentConversation, Conversation, Faults, Recorded
from embodiment_bridge.standins.simspark.monitors import MonitorConversation, RecordedMonitor
from embodiment_bridge.standins.simspark.orders import Trainer
from embodiment_bridge.standins.simspark.world import CYCLE_S, World
from embodiment_bridge.wire.framing import Frame, Framer

# One connection to the stand-in, non-blocking both ways.

READ_SIZE = 1 << 16
MAX_FRAME = 1 << 16  # bytes; what a client sends is short
MAX_READS = 8  # of READ_SIZE at a time, so that one client cannot block the others


class Client:
    """A connected socket.

    As in rcssserver3d, a message that was sent only in part is kept, and further ones are dropped meanwhile.
    """

    def __init__(self, connection: socket.socket, now: float) -> None:
        connection.setblocking(False)
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.since = now
        self._framer = Framer(MAX_FRAME)
        self._rest = b""

    def read(self) -> list[bytes] | None:
        """The received payloads; None if the client has disconnected."""
        payloads: list[bytes] = []
        for _ in range(MAX_READS):
            try:
                data = self.socket.recv(READ_SIZE)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                return None
            if not data:
                return None
            payloads += [found.payload for found in self._framer.feed(data) if isinstance(found, Frame)]
        return payloads

    def send(self, text: str) -> bool:
        """Send one message, or the rest of the last; returns False if the client has disconnected."""
        if text and not self._rest:
            payload = text.encode()
            self._rest = len(payload).to_bytes(4, "big") + payload
        if self._rest:
            try:
                self._rest = self._rest[self.socket.send(self._rest) :]
            except (BlockingIOError, InterruptedError):
                pass
            except OSError:
                return False
        return True

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


MAX_CLIENTS: Final = 64
MAX_BYTES: Final = 1 << 28  # of a recording, which is kept in memory
SYNC_POLL: Final = 0.2  # s between two checks for the end while the world waits for an agent
LATEST: Final = 0.5  # s; cycles that are later than this are skipped

Talk = Callable[[], Conversation]


class SimsparkServer(OwnThread):
    """Serves from construction until ``close``; see ``port``.

    Args:
        host: where to listen.
        port: of agents; 0 takes a free one.
        monitor_port: of monitors and trainers; 0 takes a free one.
        sync: wait for the ``(syn)`` of every agent.
        realtime: False runs as fast as possible; only with ``sync``, because clients could not follow otherwise.
        noise: see ``World``.
        true_pose: tell each player where it is (``mypos``, ``myorien``), as rcssserver3d does with that option.
        recording: path of a recorded agent stream that every agent gets instead of the world.
        monitor_recording: path of a recorded monitor stream that every monitor gets instead of the world.
        seed: of all random values.
        slow, cut, nan, unknown, lost, burst: see ``Faults``.

    Raises:
        ConfigError: options that do not go together, or a recording that cannot be read.
        LinkError: it cannot listen there.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        monitor_port: int = 0,
        sync: bool = False,
        realtime: bool = True,
        noise: bool = True,
        true_pose: bool = False,
        recording: str = "",
        monitor_recording: str = "",
        seed: int = 0,
        slow: float = 0.0,
        cut: float = 0.0,
        nan: float = 0.0,
        unknown: float = 0.0,
        lost: float = 0.0,
        burst: int = 1,
    ) -> None:
        super().__init__()
        if not realtime and not sync:
            raise ConfigError(
                "realtime is false: then sync must be true, because clients could not follow otherwise"
            )
        if burst < 1 or (burst > 1 and sync):
            raise ConfigError(
                f"burst is {burst}; it must be 1 or more cycles in a row, and 1 with sync, which answers each cycle"
            )
        self.world = World(noise=noise, seed=seed)
        self.lock = threading.Lock()  # of the world, for tests that read it
        self._faults = Faults(slow, cut, nan, unknown, lost, burst)
        self._random = Random(seed)
        self._sync, self._realtime, self._true_pose = sync, realtime, true_pose
        self._recorded = recorded_messages(Path(recording)) if recording else ()
        self._shown = recorded_messages(Path(monitor_recording)) if monitor_recording else ()
        self._selector = selectors.DefaultSelector()
        self._conversations: dict[Client, Conversation] = {}
        self._listeners: list[socket.socket] = []
        self._trainer = Trainer(self.world, self._closing.set)
        self.host, self.port = self._listen(host, port, self._agent)
        try:
            self.monitor_port = self._listen(host, monitor_port, self._monitor)[1]
        except LinkError:
            self._listeners[0].close()
            raise
        self._start("simspark stand-in")

    def _listen(self, host: str, port: int, talk: Talk) -> tuple[str, int]:
        try:
            listener = listen(host, port)
        except (OSError, OverflowError) as error:
            raise LinkError(f"cannot listen on {place(host, port)}: {error}") from error
        listener.setblocking(False)
        self._listeners.append(listener)
        self._selector.register(listener, selectors.EVENT_READ, (listener, talk))
        found: tuple[str, int] = listener.getsockname()[:2]
        return found

    def _agent(self) -> Conversation:
        if self._recorded:
            return Recorded(self._recorded, self._faults, self._random, at_once=False)
        return AgentConversation(self.world, self._faults, self._random, true_pose=self._true_pose)

    def _monitor(self) -> Conversation:
        if self._shown:
            return RecordedMonitor(self._shown, self._faults, self._random, at_once=True)
        return MonitorConversation(self.world, self._trainer, self._faults, self._random)

    def _serve(self) -> None:
        due = time.monotonic()
        while not self._closing.is_set():
            step = self._faults.burst * (CYCLE_S + self._faults.slow_s)
            due = max(due + step, time.monotonic() - LATEST)
            if self._realtime:
                self._attend(due)
            if self._sync:
                self._attend_all()
            for _ in range(self._faults.burst):
                if not self._closing.is_set():
                    self._cycle()
        for client in tuple(self._conversations):
            self._drop(client)
        for listener in self._listeners:
            listener.close()
        self._selector.close()

    def _attend(self, until: float) -> None:
        """Serve the sockets up to a time (monotonic s), but at least once, so that a late world also reads."""
        self._select(0.0)
        while (left := until - time.monotonic()) > 0.0 and not self._closing.is_set():
            self._select(left)

    def _attend_all(self) -> None:
        """Serve the sockets until every agent has answered; for a moment if none has to."""
        if not self._realtime and not any(talk.waits() for talk in self._conversations.values()):
            self._select(CYCLE_S)
        while any(talk.waits() for talk in self._conversations.values()) and not self._closing.is_set():
            self._select(SYNC_POLL)

    def _select(self, timeout: float) -> None:
        for key, _ in self._selector.select(timeout):
            if isinstance(key.data, Client):
                self._read(key.data)
            else:
                self._accept(*key.data)

    def _accept(self, listener: socket.socket, talk: Talk) -> None:
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            if len(self._conversations) >= MAX_CLIENTS:
                connection.close()
                return
            client = Client(connection, time.monotonic())
            self._conversations[client] = talk()
            self._selector.register(connection, selectors.EVENT_READ, client)

    def _read(self, client: Client) -> None:
        payloads = client.read()
        if payloads is None:
            self._drop(client)
            return
        with self.lock:
            for payload in payloads:
                self._conversations[client].hear(payload)

    def _cycle(self) -> None:
        now = time.monotonic()
        with self.lock:
            self.world.step()
            messages = [(client, talk.message()) for client, talk in self._conversations.items()]
        for client, message in messages:
            worn_out = 0.0 < self._faults.cut_s < now - client.since
            if worn_out or not client.send(message):
                self._drop(client)

    def _drop(self, client: Client) -> None:
        talk = self._conversations.pop(client, None)
        if talk is not None:
            self._selector.unregister(client.socket)
            with self.lock:
                talk.leave()
        client.close()


def recorded_messages(path: Path) -> tuple[str, ...]:
    """The messages of a recorded stream.

    Raises:
        ConfigError: it cannot be read, or has no message.
    """
    data = read_bytes(path, MAX_BYTES, "recording")
    messages = tuple(
        found.payload.decode("utf-8", "replace") for found in Framer().feed(data) if isinstance(found, Frame)
    )
    if not messages:
        raise ConfigError(f"recording {path}: there is no message in it")
    return messages
