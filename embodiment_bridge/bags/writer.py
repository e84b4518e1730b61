# SPDX-License-Identifier: Apache-2.0
"""Writes a rosbag2 directory (MCAP) with the definitions of its types, on a thread of its own."""

import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter

from embodiment_bridge.core.errors import ConfigError

FindShare = Callable[[str], Path]  # gives the share folder of a package; raises LookupError if there is none
SEPARATOR = "=" * 80
FEEDBACK = "_FeedbackMessage"
GOAL_ID = "unique_identifier_msgs/UUID goal_id"


class Definition(NamedTuple):
    """text: the definition with all referenced types, in the form ``ros2msg`` of MCAP; rihs01: hash of REP-2011."""

    text: str
    rihs01: str


def definition(type_name: str, find_share: FindShare) -> Definition:
    """The definition of ``package/msg/Name``, or of action feedback, ``package/action/Name_FeedbackMessage``.

    Raises:
        ConfigError: the files of that type do not exist, or have wrong content.
    """
    package, _, name = type_name.split("/") if type_name.count("/") == 2 else ("", "", "")
    try:
        if "/action/" in type_name and name.endswith(FEEDBACK):
            return _feedback(package, name.removesuffix(FEEDBACK), find_share)
        described = _described(type_name, find_share)
        return Definition(_with_references(_text(type_name, find_share), described, find_share), described[0])
    except (LookupError, OSError, ValueError, TypeError) as error:
        raise ConfigError(f"message type {type_name!r}: no definition is installed: {error}") from error


def _feedback(package: str, action: str, find_share: FindShare) -> Definition:
    full = f"{package}/action/{action}{FEEDBACK}"
    hashed, references = _described(full, find_share)
    parts = (find_share(package) / "action" / f"{action}.action").read_text(encoding="utf-8").split("\n---\n")
    own = f"{package}/action/{action}_Feedback"
    texts = {own: parts[2] if len(parts) == 3 else ""}
    text = f"{GOAL_ID}\n{action}_Feedback feedback\n"
    return Definition(_with_references(text, (hashed, references), find_share, texts), hashed)


def _described(type_name: str, find_share: FindShare) -> tuple[str, list[str]]:
    """The hash of a type, and the types that it refers to directly or indirectly."""
    package, kind, name = type_name.split("/")
    stem = name.partition("_")[0] if kind == "action" else name
    content = json.loads((find_share(package) / kind / f"{stem}.json").read_text(encoding="utf-8"))
    hashes = {entry["type_name"]: entry["hash_string"] for entry in content["type_hashes"]}
    return hashes[type_name], _references(content, type_name)


def _references(content: dict[str, Any], type_name: str) -> list[str]:
    described = content["type_description_msg"]
    known = {one["type_name"]: one for one in described["referenced_type_descriptions"]}
    known[described["type_description"]["type_name"]] = described["type_description"]
    found: list[str] = []
    waiting = [type_name]
    while waiting:
        for field in known[waiting.pop()]["fields"]:
            nested = field["type"]["nested_type_name"]
            if nested and nested not in found:
                found.append(nested)
                waiting.append(nested)
    return found


def _with_references(
    text: str,
    described: tuple[str, list[str]],
    find_share: FindShare,
    texts: dict[str, str] | None = None,
) -> str:
    parts = [text.rstrip("\n") + "\n"]
    for name in described[1]:
        package, _, message = name.split("/")
        own = (texts or {}).get(name)
        parts.append(f"MSG: {package}/{message}\n" + (own or _text(name, find_share)).rstrip("\n") + "\n")
    return f"{SEPARATOR}\n".join(parts)


def _text(type_name: str, find_share: FindShare) -> str:
    package, kind, name = type_name.split("/")
    return (find_share(package) / kind / f"{name}.msg").read_text(encoding="utf-8")


FLUSH_S = 1.0  # what a recorder that is killed, or loses its power, may lose
LIMIT_BYTES = 256 * 1024 * 1024  # that may wait to be written; with a slower disk messages are lost


@dataclass(slots=True)
class Totals:
    """Counters of a recording: messages written, messages lost to a slow disk, bytes written; ``error`` ended it."""

    written: int = 0
    lost: int = 0
    written_bytes: int = 0
    error: str = ""


class _Topic(NamedTuple):
    name: str
    type_name: str
    about: Definition
    offered: Sequence[Qos]


class _Message(NamedTuple):
    number: int
    stamp: int
    data: bytes


class BagWriter:
    """One recording. Its methods may be called from any thread; the files are the thread's of the writer alone.

    Args:
        path: a directory that does not exist yet.
        limit_bytes: bytes that may wait for the disk, those that are being written included.

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
        self._waiting: deque[_Topic | _Message] = deque()
        self._waiting_bytes = 0
        self._topics = 0
        self._connections: list[Connection] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="bag writer", daemon=True)
        self._thread.start()

    def add_topic(self, topic: str, type_name: str, about: Definition, offered: Sequence[Qos]) -> int:
        """Announce a topic; returns its number for ``take``."""
        with self._changed:
            self._waiting.append(_Topic(topic, type_name, about, offered))
            self._changed.notify()
            self._topics += 1
            return self._topics - 1

    def take(self, number: int, stamp: int, data: bytes) -> None:
        """Write a serialised message of a topic, received at ``stamp`` ns; counted as lost if too many bytes wait."""
        with self._changed:
            if self._closed or self.totals.error or self._waiting_bytes + len(data) > self._limit:
                self.totals.lost += 1
                return
            self._waiting.append(_Message(number, stamp, data))
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
        flushed = time.monotonic()
        while (batch := self._next_batch(flushed + FLUSH_S)) is not None:
            for index, one in enumerate(batch):
                try:
                    self._write(one)
                except Exception as error:  # noqa: BLE001 - any error ends the recording, and is reported
                    self.totals.error = f"{type(error).__name__}: {error}"
                    self.totals.lost += _messages(batch[index:])
                    return
            with self._changed:
                self._waiting_bytes -= sum(len(one.data) for one in batch if isinstance(one, _Message))
            if time.monotonic() >= flushed + FLUSH_S:
                self.totals.error = self._flush()
                if self.totals.error:
                    return
                flushed = time.monotonic()

    def _write(self, one: _Topic | _Message) -> None:
        if isinstance(one, _Topic):
            connection = self._writer.add_connection(
                one.name,
                one.type_name,
                msgdef=one.about.text,
                rihs01=one.about.rihs01,
                offered_qos_profiles=one.offered,
            )
            self._connections.append(connection)
            return
        self._writer.write(self._connections[one.number], one.stamp, one.data)
        self.totals.written += 1
        self.totals.written_bytes += len(one.data)

    def _flush(self) -> str:
        """Put what is written so far onto the disk; return what is wrong with it, empty for nothing."""
        storage = self._writer.storage
        if not isinstance(storage, McapWriter) or not storage.chunk.msgs:
            return ""
        try:
            storage.close_chunk()
            storage.bio.flush()
            os.fsync(storage.bio.fileno())
        except OSError as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def _next_batch(self, until: float) -> list[_Topic | _Message] | None:
        """Wait for something to write and return all of it; empty at the time ``until``, None when all is written."""
        with self._changed:
            if not self._waiting and not self._closed:
                self._changed.wait(max(until - time.monotonic(), 0.0))
            batch = list(self._waiting)
            self._waiting.clear()
            return None if self._closed and not batch else batch

    def _finish(self) -> None:
        self.totals.lost += _messages(self._waiting)
        try:
            self._writer.close()
        except (OSError, WriterError) as error:
            self.totals.error = self.totals.error or f"{type(error).__name__}: {error}"


def _messages(waiting: Iterable[_Topic | _Message]) -> int:
    return sum(isinstance(one, _Message) for one in waiting)
