# SPDX-License-Identifier: Apache-2.0
"""Small recordings for tests."""

import struct
from pathlib import Path

from rclpy.serialization import serialize_message
from std_msgs.msg import String

from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.launching.environment import find_share

STRING = "std_msgs/msg/String"
BEGIN = 1_700_000_000_000_000_000  # ns


def text(data: str) -> bytes:
    return bytes(serialize_message(String(data=data)))


def write_texts(path: Path, texts: dict[float, str], topic: str = "/said") -> Path:
    """A recording of texts at times (s) after its beginning."""
    writer = BagWriter(path)
    number = writer.add_topic(topic, STRING, definition(STRING, find_share), [])
    for when, data in texts.items():
        writer.take(number, BEGIN + round(when * 1e9), text(data))
    totals = writer.close()
    assert (totals.lost, totals.error) == (0, "")
    return path


METADATA = """rosbag2_bagfile_information:
  version: 9
  storage_identifier: {storage}
  duration: {{nanoseconds: 1}}
  starting_time: {{nanoseconds_since_epoch: 1}}
  message_count: {messages}
  topics_with_message_count:
  - topic_metadata: {{name: /said, type: std_msgs/msg/String, serialization_format: cdr, offered_qos_profiles: []}}
    message_count: {messages}
  compression_format: "{format}"
  compression_mode: "{mode}"
  relative_file_paths: [{file}]
  files: []
"""


def write_bag(
    folder: Path, file: str, content: bytes, storage: str = "mcap", mode: str = "", messages: int = 1
) -> Path:
    """A recording of one file, whatever is in it."""
    folder.mkdir()
    compression = "zstd" if mode else ""
    text = METADATA.format(storage=storage, messages=messages, format=compression, mode=mode, file=file)
    (folder / "metadata.yaml").write_text(text)
    (folder / file).write_bytes(content)
    return folder


def mcap(records: bytes, chunks: list[tuple[str, bytes, int]] = (), *, indexed: bool = True) -> bytes:
    """An MCAP file of records and chunks, each (compression, compressed data, size that it claims)."""

    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<BQ", kind, len(content)) + content

    def string(text: str) -> bytes:
        return struct.pack("<I", len(text)) + text.encode()

    magic = b"\x89MCAP0\r\n"
    content = magic + record(1, string("ros2") + string(""))
    schema = record(3, struct.pack("<H", 1) + string(STRING) + string("ros2msg") + string("string data"))
    channel = record(4, struct.pack("<HH", 1, 1) + string("/said") + string("cdr") + struct.pack("<I", 0))
    content += schema + channel + records
    index = b""
    for compression, data, size in chunks:
        chunk = record(
            6, struct.pack("<QQQI", 1, 2, size, 0) + string(compression) + struct.pack("<Q", len(data)) + data
        )
        messages = record(7, struct.pack("<HIQQ", 1, 16, 1, 0))
        offset = len(content)
        content += chunk + messages
        index += record(
            8,
            struct.pack("<QQQQIHQQ", 1, 2, offset, len(chunk), 10, 1, offset + len(chunk), len(messages))
            + string(compression)
            + struct.pack("<QQ", len(data), size),
        )
    content += record(15, bytes(4))
    start = len(content) if indexed else 0
    if indexed:
        statistics = struct.pack("<QHIIIIQQIHQ", 1, 1, 1, 0, 0, len(chunks), 1, 2, 10, 1, 1)
        content += schema + channel + index + record(11, statistics)
    return content + record(2, struct.pack("<QQI", start, 0, 0)) + magic


def message(data: bytes) -> bytes:
    """The record of a message on /said."""
    return struct.pack("<BQHIQQ", 5, 22 + len(data), 1, 0, 1, 1) + data
