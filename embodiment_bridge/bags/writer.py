# SPDX-License-Identifier: Apache-2.0
"""Writes a rosbag2 directory (MCAP) on a thread, so that the sender of a message never waits for the disk."""

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError

from embodiment_bridge.bags.definitions import Definition
from embodiment_bridge.core.errors import ConfigError

LIMIT_BYTES = 256 * 1024 * 1024  # that may wait to be written; with a slower disk messages are lost


@dataclass(slots=True)
class Totals:
    """Counters of a recording: messages written, messages lost to a slow disk, bytes written; ``error`` ended it."""

    written: int = 0
    lost: int = 0
    written_bytes: int = 0
    error: str = ""


class BagWriter:
    """One recording. ``take`` may be called from any thread.

    Args:
        path: a directory that does not exist yet.
        limit_bytes: bytes that may wait for the disk.

    Raises:
        ConfigError: the directory cannot be created.
    """

    def __init__(self, path: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.totals = Totals()
        self._limit = limit_bytes
        try:
            self._writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
            self._writer.open()
        except (OSError, WriterError) as error:
            raise ConfigError(f"recording {path}: {error}") from error
        self._waiting: deque[tuple[int, int, bytes]] = deque()
        self._waiting_bytes = 0
        self._connections: list[Connection] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="bag writer", daemon=True)
        self._thread.start()

    def add_topic(self, topic: str, type_name: str, about: Definition, offered: Sequence[Qos]) -> int:
        """Announce a topic; returns its number for ``take``."""
        with self._changed:
            connection = self._writer.add_connection(
                topic, type_name, msgdef=about.text, rihs01=about.rihs01, offered_qos_profiles=offered
            )
            self._connections.append(connection)
            return len(self._connections) - 1

    def take(self, number: int, stamp: int, data: bytes) -> None:
        """Write a serialised message of a topic, received at ``stamp`` ns; counted as lost if too many bytes wait."""
        with self._changed:
            if self._closed or self.totals.error or self._waiting_bytes + len(data) > self._limit:
                self.totals.lost += 1
                return
            self._waiting.append((number, stamp, data))
            self._waiting_bytes += len(data)
            self._changed.notify()

    def close(self) -> Totals:
        """Write the waiting messages, finish the files, and return the counters. May be called more than once."""
        with self._changed:
            first = not self._closed
            self._closed = True
            self._changed.notify()
        self._thread.join()
        if first:
            self._finish()
        return self.totals

    def _run(self) -> None:
        while batch := self._next_batch():
            for index, (number, stamp, data) in enumerate(batch):
                try:
                    self._writer.write(self._connections[number], stamp, data)
                except Exception as error:  # noqa: BLE001 - any error ends the recording, and is reported
                    self.totals.error = f"{type(error).__name__}: {error}"
                    self.totals.lost += len(batch) - index
                    return
                self.totals.written += 1
                self.totals.written_bytes += len(data)

    def _next_batch(self) -> list[tuple[int, int, bytes]]:
        """Wait for messages and return all of them; empty after ``close`` when all are written."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            batch = list(self._waiting)
            self._waiting.clear()
            self._waiting_bytes = 0
            return batch

    def _finish(self) -> None:
        self.totals.lost += len(self._waiting)
        try:
            self._writer.close()
        except (OSError, WriterError) as error:
            self.totals.error = self.totals.error or f"{type(error).__name__}: {error}"
