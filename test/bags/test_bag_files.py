# SPDX-License-Identifier: Apache-2.0
"""Recordings on disk are read back, by others too, with whole definitions; a slow or full disk loses nothing unsaid."""

import json
import os
import sqlite3
import struct
import threading
import tracemalloc
from contextlib import closing, contextmanager

import lz4.frame
import pytest
from bag_files import BEGIN, STRING, mcap, message, text, write_bag, write_texts
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from embodiment_bridge.bags import unpacking
from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.bags.unpacking import MOST
from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_share

TEXTS = {0.0: "a", 0.5: "b", 2.0: "c" * 3000}


def test_round_trip(tmp_path) -> None:
    with BagReader(write_texts(tmp_path / "bag", TEXTS)) as reader:
        assert (reader.begin, reader.duration) == (BEGIN, 2.0)
        assert reader.topics["/said"][:3] == ("/said", STRING, 3)
        read = list(reader.messages({"/said"}))
        assert [(one.time, one.data) for one in read] == [(when, text(data)) for when, data in TEXTS.items()]
        assert [one.time for one in reader.messages({"/said"}, 0.5)] == [0.5, 2.0]
        assert list(reader.messages({"/nothing"})) == []


def test_others_read_it(tmp_path) -> None:
    path = write_texts(tmp_path / "bag", TEXTS)
    with (path / "bag.mcap").open("rb") as file:
        decoded = make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages()
        assert [message.data for _, _, _, message in decoded] == list(TEXTS.values())
    with Reader(path) as reader:
        assert [bytes(data) for _, _, data in reader.messages()] == [text(data) for data in TEXTS.values()]


def test_nothing_is_lost_between_threads(tmp_path) -> None:
    writer = BagWriter(tmp_path / "bag")
    number = writer.add_topic("/said", STRING, definition(STRING, find_share), [])

    def say(name: int) -> None:
        for index in range(2000):
            writer.take(number, BEGIN + index, text(f"{name} {index}"))

    threads = [threading.Thread(target=say, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert writer.close().written == 6000
    assert writer.close().lost == 0
    with BagReader(tmp_path / "bag") as reader:
        assert reader.topics["/said"].messages == 6000


def test_what_does_not_fit_into_memory_is_counted(tmp_path) -> None:
    writer = BagWriter(tmp_path / "bag", limit_bytes=10)
    number = writer.add_topic("/said", STRING, definition(STRING, find_share), [])
    writer.take(number, BEGIN, text("longer than ten bytes"))
    totals = writer.close()
    writer.take(number, BEGIN, text(""))  # after the end
    assert (totals.written, totals.lost) == (0, 2)


class Held:
    """Holds the writer's thread in the first message until ``go`` is set."""

    def __init__(self, writer: BagWriter, monkeypatch) -> None:
        self.writing, self.go = threading.Event(), threading.Event()
        self.added_while_writing: list[bool] = []
        self._write, self._add = writer._writer.write, writer._writer.add_connection
        monkeypatch.setattr(writer._writer, "write", self._held)
        monkeypatch.setattr(writer._writer, "add_connection", self._added)

    def _held(self, *message: object) -> None:
        self.writing.set()
        assert self.go.wait(20.0)
        self._write(*message)
        self.writing.clear()

    def _added(self, *topic: object, **about: object) -> object:
        self.added_while_writing.append(self.writing.is_set())
        return self._add(*topic, **about)


def test_a_topic_that_comes_while_a_message_is_written_does_not_damage_it(tmp_path, monkeypatch) -> None:
    writer = BagWriter(tmp_path / "bag")
    held = Held(writer, monkeypatch)
    about = definition(STRING, find_share)
    writer.take(writer.add_topic("/said", STRING, about, []), BEGIN, text("a"))
    assert held.writing.wait(20.0)
    writer.take(writer.add_topic("/heard", STRING, about, []), BEGIN + 1, text("b"))
    held.go.set()
    assert writer.close().written == 2
    assert held.added_while_writing == [False, False]
    with BagReader(tmp_path / "bag") as reader:
        assert [one.topic for one in reader.messages({"/said", "/heard"})] == ["/said", "/heard"]


def test_what_is_being_written_counts_as_waiting(tmp_path, monkeypatch) -> None:
    size = len(text("a"))
    writer = BagWriter(tmp_path / "bag", limit_bytes=size)
    held = Held(writer, monkeypatch)
    number = writer.add_topic("/said", STRING, definition(STRING, find_share), [])
    writer.take(number, BEGIN, text("a"))
    assert held.writing.wait(20.0)
    writer.take(number, BEGIN + 1, text("b"))
    held.go.set()
    totals = writer.close()
    assert (totals.written, totals.lost) == (1, 1)


def test_full_disk_ends_the_recording_with_the_reason(tmp_path, monkeypatch) -> None:
    writer = BagWriter(tmp_path / "bag")
    number = writer.add_topic("/said", STRING, definition(STRING, find_share), [])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer._writer, "write", full)
    writer.take(number, BEGIN, text("a"))
    totals = writer.close()
    assert totals.lost == 1
    assert "No space left" in totals.error


def test_bad_places_are_refused(tmp_path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="exists"):
        BagWriter(tmp_path / "there")
    with pytest.raises(ConfigError, match="file"):
        BagWriter(tmp_path / "file" / "bag")


def test_damaged_recordings_are_refused(tmp_path) -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        BagReader(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="empty"):
        BagReader(tmp_path / "empty")
    path = write_texts(tmp_path / "bag", TEXTS)
    content = (path / "bag.mcap").read_bytes()
    (path / "bag.mcap").write_bytes(content[: len(content) // 2])
    with pytest.raises(ConfigError, match="bag"), BagReader(path) as reader:
        list(reader.messages({"/said"}))


def test_files_that_are_no_list_in_the_metadata_do_no_harm(tmp_path) -> None:
    path = write_texts(tmp_path / "bag", TEXTS)
    metadata = (path / "metadata.yaml").read_text()
    before, _, after = metadata.partition("  files:")
    after = after[after.index("\n  message_count:") :]
    (path / "metadata.yaml").write_text(f"{before}  files: text{after}")
    with BagReader(path) as reader:
        assert len(list(reader.messages({"/said"}))) == len(TEXTS)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (
            "message_count: 3\n    topic_metadata",
            "message_count: many\n    topic_metadata",
            "'many' .* no int",
        ),
        ("name: /said", "name: 5", "5 in the metadata is no str"),
        ("nanoseconds_since_epoch: ", "nanoseconds_since_epoch: x", "cannot be read"),
    ],
)
def test_metadata_of_another_kind_are_refused(tmp_path, before, after, text) -> None:
    path = write_texts(tmp_path / "bag", TEXTS)
    metadata = (path / "metadata.yaml").read_text()
    assert before in metadata, metadata
    (path / "metadata.yaml").write_text(metadata.replace(before, after))
    with pytest.raises(ConfigError, match=text):
        BagReader(path)


def zeros(kind: str, size: int) -> bytes:
    data = bytes(size)
    return bytes(lz4.frame.compress(data)) if kind == "lz4" else unpacking.zstd.compress(data)


BOMBS = {  # compression, size, size that the chunk claims
    "zstd": ("zstd", MOST + 1, MOST + 1),
    "lz4": ("lz4", MOST + 1, MOST + 1),
    "claims to be small": ("zstd", MOST + 1, 100),
    "claims to be huge": ("zstd", 100, 1 << 50),
}


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("kind", BOMBS)
def test_chunks_that_become_huge_are_refused(tmp_path, kind, indexed) -> None:
    compression, size, claimed = BOMBS[kind]
    chunk = compression, zeros(compression, size), claimed
    path = write_bag(tmp_path / "bag", "x.mcap", mcap(b"", [chunk], indexed=indexed))
    with refused_within(4 * MOST, r"unpacked|mismatch|are the most"), BagReader(path) as reader:
        list(reader.messages({"/said"}))


def test_chunks_of_the_same_time_that_are_huge_together_are_refused(tmp_path) -> None:
    chunks = [("zstd", zeros("zstd", MOST), MOST)] * 5
    with refused_within(MOST, f"{5 * MOST} bytes; {4 * MOST} are the most"):
        BagReader(write_bag(tmp_path / "bag", "x.mcap", mcap(b"", chunks)))


@contextmanager
def refused_within(memory: int, reason: str):
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match=reason):
            yield
        assert tracemalloc.get_traced_memory()[1] < memory
    finally:
        tracemalloc.stop()


def test_a_message_that_becomes_huge_is_refused(tmp_path) -> None:
    content = mcap(message(zeros("zstd", MOST + 1)))
    path = write_bag(tmp_path / "bag", "x.mcap", content, mode="message")
    with refused_within(4 * MOST, f"more than {MOST} bytes"), BagReader(path) as reader:
        list(reader.messages({"/said"}))


def test_a_file_that_becomes_huge_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(unpacking, "LEAST_FILE", 1 << 20)
    path = write_bag(tmp_path / "bag", "x.mcap.zstd", zeros("zstd", 20 << 20), mode="file")
    with pytest.raises(ConfigError, match=r"more than 1048576 bytes unpacked.*zstd -d"):
        BagReader(path)


def test_compressed_recordings_are_read(tmp_path) -> None:
    said = text("hello")
    whole = unpacking.zstd.compress(mcap(message(said)))
    packed = unpacking.zstd.compress(message(said))
    lz4_packed = bytes(lz4.frame.compress(message(said)))
    bags = {
        "file": write_bag(tmp_path / "file", "x.mcap.zstd", whole, mode="file"),
        "message": write_bag(
            tmp_path / "message",
            "x.mcap",
            mcap(message(unpacking.zstd.compress(said))),
            mode="message",
        ),
        "zstd": write_bag(tmp_path / "zstd", "x.mcap", mcap(b"", [("zstd", packed, len(message(said)))])),
        "lz4": write_bag(tmp_path / "lz4", "x.mcap", mcap(b"", [("lz4", lz4_packed, len(message(said)))])),
    }
    for path in bags.values():
        with BagReader(path) as reader:
            assert [one.data for one in reader.messages({"/said"})] == [said]


@pytest.mark.parametrize(
    ("plugin", "mode"),
    [(plugin, mode) for plugin in StoragePlugin for mode in ("none", "file", "message")]
    + [(StoragePlugin.MCAP, "storage")],
)
def test_bags_of_another_writer_are_read(tmp_path, plugin, mode) -> None:
    """Both storages of rosbag2, each compression, and a type that is installed nowhere."""
    foreign = "foreign_msgs/msg/Thing"
    writer = Writer(tmp_path / "other", version=8, storage_plugin=plugin)
    writer.set_compression(CompressionMode[mode.upper()], CompressionFormat.ZSTD)
    with writer:
        said_here = writer.add_connection("/said", STRING, msgdef="string data", rihs01="RIHS01_" + "0" * 64)
        things = writer.add_connection("/things", foreign, msgdef="int32 x", rihs01="RIHS01_" + "1" * 64)
        for place in range(5):
            writer.write(said_here, BEGIN + place * 10**9, text(str(place)))
            writer.write(things, BEGIN + place * 10**9, b"\0\1\0\0\0\0\0\0")
    with BagReader(tmp_path / "other") as reader:
        assert reader.duration == 4.0
        assert {name: topic.type_name for name, topic in reader.topics.items()} == {
            "/said": STRING,
            "/things": foreign,
        }
        assert [one.data for one in reader.messages({"/said"}, 1.0)] == [text(str(i)) for i in range(1, 5)]
        assert len(list(reader.messages({"/things"}))) == 5


def test_bag_that_was_split_is_read(tmp_path) -> None:
    folder = write_bag(tmp_path / "split", "x_0.mcap", mcap(message(text("a"))), messages=2)
    (folder / "x_1.mcap").write_bytes(mcap(message(text("b"))))
    metadata = (folder / "metadata.yaml").read_text()
    (folder / "metadata.yaml").write_text(metadata.replace("[x_0.mcap]", "[x_0.mcap, x_1.mcap]"))
    with BagReader(folder) as reader:
        assert sorted(one.data for one in reader.messages({"/said"})) == [text("a"), text("b")]


def test_a_record_that_is_a_hole_of_gigabytes_is_refused(tmp_path) -> None:
    path = write_bag(
        tmp_path / "bag", "x.mcap", mcap(message(b"") + struct.pack("<BQ", 3, MOST + 1), indexed=False)
    )
    with pytest.raises(ConfigError, match=f"record of {MOST + 1} bytes"):
        BagReader(path)


def test_values_that_a_database_makes_up_are_bounded(tmp_path) -> None:
    path = write_bag(tmp_path / "bag", "x.db3", b"", storage="sqlite3")
    with closing(sqlite3.connect(path / "x.db3")) as database:
        database.executescript(
            "CREATE TABLE topics(id INTEGER PRIMARY KEY, name, type, serialization_format, offered_qos_profiles);"
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data AS (zeroblob(900000000)));"
            "INSERT INTO topics VALUES(1, '/said', 'std_msgs/msg/String', 'cdr', '[]');"
            "INSERT INTO messages VALUES(1, 1, 1);"
        )
    with BagReader(path) as reader, pytest.raises(ConfigError, match="too big"):
        list(reader.messages({"/said"}))


@pytest.mark.parametrize("name", ["metadata.yaml", "x.mcap"])
def test_pipes_and_devices_in_a_recording_are_refused(tmp_path, name) -> None:
    path = write_bag(tmp_path / "bag", "x.mcap", b"")
    (path / name).unlink()
    os.mkfifo(path / name)
    with pytest.raises(ConfigError, match=name):
        BagReader(path)
    (path / name).unlink()
    (path / name).symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=name):
        BagReader(path)


def test_metadata_that_repeat_themselves_are_refused(tmp_path) -> None:
    path = write_bag(tmp_path / "bag", "x.mcap", b"")
    bomb = "a0: &a0 {x: 1}\n" + "".join(
        f"a{n + 1}: &a{n + 1} {{<<: [{', '.join([f'*a{n}'] * 9)}]}}\n" for n in range(12)
    )
    (path / "metadata.yaml").write_text(bomb)
    with pytest.raises(ConfigError, match="more than 50000 values"):
        BagReader(path)


TYPES = [
    "std_msgs/msg/String",
    "sensor_msgs/msg/JointState",
    "visualization_msgs/msg/MarkerArray",
    "tf2_msgs/msg/TFMessage",
    "embodiment_bridge/msg/EntityArray",
    "embodiment_bridge/msg/TreeSnapshot",
    "action_msgs/msg/GoalStatusArray",
    "embodiment_bridge/action/ExecuteSkill_FeedbackMessage",
    "embodiment_bridge/action/ExecuteBml_FeedbackMessage",
]


@pytest.mark.parametrize("name", TYPES)
def test_another_reader_computes_the_same_hash(name) -> None:
    found = definition(name, find_share)
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(found.text, name))
    if "/action/" not in name:  # the other reader takes every dependency for one of msg/
        assert store.hash_rihs01(name) == found.rihs01
    assert found.rihs01.startswith("RIHS01_")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "String",
        "std_msgs/String",
        "std_msgs/msg/Nothing",
        "nowhere_msgs/msg/String",
        "a/b/c/d",
        "../../etc/x",
    ],
)
def test_unknown_types_are_refused_by_name(name) -> None:
    with pytest.raises(ConfigError) as refused:
        definition(name, find_share)
    assert repr(name) in str(refused.value)


def test_damaged_files_are_refused(tmp_path) -> None:
    (tmp_path / "msg").mkdir()
    for content in ("", "[]", "{}", json.dumps({"type_hashes": [], "type_description_msg": {}})):
        (tmp_path / "msg" / "Odd.json").write_text(content)
        with pytest.raises(ConfigError, match="odd_msgs/msg/Odd"):
            definition("odd_msgs/msg/Odd", lambda package: tmp_path)
