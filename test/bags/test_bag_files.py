# SPDX-License-Identifier: Apache-2.0
"""Recordings on disk: what was written is read back, by others too; a slow or full disk loses nothing silently."""

import threading

import pytest
from bag_files import BEGIN, STRING, text, write_texts
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader

from embodiment_bridge.bags.definitions import definition
from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.bags.writer import BagWriter
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.shares import find_share

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
