# SPDX-License-Identifier: Apache-2.0
"""Reads a rosbag2 directory from any recorder."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import Reader

from embodiment_bridge.bags import cut_files, unpacking
from embodiment_bridge.core.errors import ConfigError

NANOSECONDS = 1_000_000_000


class Topic(NamedTuple):
    """A recorded topic: its full name, type as package/msg/Name, number of messages, first offered profile."""

    name: str
    type_name: str
    messages: int
    offered: Qos | None


class Message(NamedTuple):
    """time: s from the beginning of the recording; data: serialised (CDR)."""

    time: float
    topic: str
    data: bytes


class BagReader:
    """A recording that is open for reading; a context manager.

    begin: ns of the clock of the recording; duration: s; cut: its recorder was killed, and it ends before.

    Raises:
        ConfigError: the directory does not exist, is not a rosbag2 directory, is damaged, or would need more memory
            than the limits of ``unpacking``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with ExitStack() as opened:
            try:
                path = cut_files.playable(path)
                unpacking.check_files(path)
                self.cut = cut_files.is_cut(path)
                self._reader = Reader(path)
                self._reader.open()
                # rosbags takes these from the metadata unchecked, and its close() clears them: it fails for a text.
                vars(self._reader.storage)["files"] = []
                opened.callback(self._reader.close)
                unpacking.limit(self._reader)
                self.begin = int(self._reader.start_time)
                # rosbags counts one more.
                self.duration = max(int(self._reader.duration) - 1, 0) / NANOSECONDS
                self.topics = _topics(self._reader.connections)
            except Exception as error:  # rosbags raises anything on a damaged file, MemoryError for a length
                raise ConfigError(f"recording {path}: cannot be read: {str(error) or repr(error)}") from error
            opened.pop_all()

    def __enter__(self) -> "BagReader":
        """The reader itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    def messages(self, topics: set[str], start: float = 0.0) -> Iterator[Message]:
        """The messages of some topics from ``start`` s on, in the order of their times.

        Raises:
            ConfigError: the files are damaged.
        """
        connections = [one for one in self._reader.connections if one.topic in topics]
        if not connections:
            return
        try:
            for connection, stamp, data in self._reader.messages(
                connections, start=self.begin + round(start * NANOSECONDS)
            ):
                yield Message((stamp - self.begin) / NANOSECONDS, connection.topic, data)
        except Exception as error:
            raise ConfigError(f"recording {self._path}: damaged: {str(error) or repr(error)}") from error


def _topics(connections: list[Connection]) -> dict[str, Topic]:
    topics: dict[str, Topic] = {}
    for one in connections:
        # rosbags takes what the metadata say, whatever it is.
        for value, kind in ((one.topic, str), (one.msgtype, str), (one.msgcount, int)):
            if not isinstance(value, kind):
                raise ValueError(f"{value!r:.40} in the metadata is no {kind.__name__}")
        before = topics.get(one.topic)
        offered = next(iter(getattr(one.ext, "offered_qos_profiles", ())), None)
        messages = one.msgcount + (before.messages if before else 0)
        topics[one.topic] = Topic(one.topic, one.msgtype, messages, before.offered if before else offered)
    return topics
