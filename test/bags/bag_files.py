# SPDX-License-Identifier: Apache-2.0
"""Small recordings for tests."""

from pathlib import Path

from rclpy.serialization import serialize_message
from std_msgs.msg import String

from embodiment_bridge.bags.definitions import definition
from embodiment_bridge.bags.writer import BagWriter
from embodiment_bridge.launching.shares import find_share

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
