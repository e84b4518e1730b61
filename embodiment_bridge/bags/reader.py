# SPDX-License-Identifier: Apache-2.0
"""Reads a rosbag2 directory from any recorder."""

from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from rosbags.interfaces import Connection, Qos, QosDurability
from rosbags.rosbag2 import Reader

from embodiment_bridge.bags import cut_files, unpacking
from embodiment_bridge.core.errors import ConfigError

NANOSECONDS = 1_000_000_000
MOST_LATCHED = 1000  # messages


class Topic(NamedTuple):
    """A recorded topic: its full name, type as package/msg/Name, number of messages, first offered profile.

    publishers: at least so many were there when its recording began.
    """

    name: str
    type_name: str
    messages: int
    offered: Qos | None
    publishers: int = 1

    @property
    def latched(self) -> int:
        """Return how many of its last messages a late subscriber gets; 0 where it is not latched.

        A recording does not tell whose message one is. Of several publishers all messages are kept, so that the last of
        each is among them; programs come and go with static transforms of their own.
        """
        offered = self.offered
        if offered is None or offered.durability != QosDurability.TRANSIENT_LOCAL:
            return 0
        one = offered.depth if offered.depth > 0 else MOST_LATCHED
        several = self.publishers > 1 or self.name.rpartition("/")[2] == "tf_static"
        return min(max(one, self.messages), MOST_LATCHED) if several else one


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

    def latched(self, topics: set[str], place: float) -> list[Message]:
        """Return the messages published before ``place`` s that a subscriber of some topics had got by then.

        Raises:
            ConfigError: the files are damaged.
        """
        last = {
            name: deque[Message](maxlen=topic.latched)
            for name, topic in self.topics.items()
            if name in topics and topic.latched
        }
        for message in self.messages(set(last), 0.0, place) if place > 0.0 else ():
            last[message.topic].append(message)
        return sorted((message for found in last.values() for message in found), key=attrgetter("time"))

    def messages(self, topics: set[str], start: float = 0.0, end: float | None = None) -> Iterator[Message]:
        """The messages of some topics from ``start`` s on, up to before ``end`` s, in the order of their times.

        Raises:
            ConfigError: the files are damaged.
        """
        connections = [one for one in self._reader.connections if one.topic in topics]
        if not connections:
            return
        try:
            for connection, stamp, data in self._reader.messages(
                connections,
                start=self.begin + round(start * NANOSECONDS),
                stop=None if end is None else self.begin + round(end * NANOSECONDS),
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
        profiles = list(getattr(one.ext, "offered_qos_profiles", ()))
        offered = before.offered if before else next(iter(profiles), None)
        messages = one.msgcount + (before.messages if before else 0)
        publishers = len(profiles) + (before.publishers if before else 0)
        topics[one.topic] = Topic(one.topic, one.msgtype, messages, offered, publishers)
    return topics
