# SPDX-License-Identifier: Apache-2.0
"""Many markers that are serialised once, because only their poses change.

Serialising a Marker takes 12 us, and a full soccer game has 500 of them, ten times a second. So the message is kept as
bytes, and new stamps and poses are written into them.
"""

import re
import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message
from visualization_msgs.msg import Marker, MarkerArray

Array = Any

# Byte patterns that mark the places of stamps and poses; texts do not contain them. Alignment gaps have arbitrary
# bytes, perhaps ends of a pattern; so its first byte differs from the rest, and it is never found too early.
_STAMP: Final = b"\xfe" + b"\xfb" * 7
_POSE: Final = b"\xfd" + b"\xfc" * 55
_STAMP_FORMAT: Final = "=iI"  # s, ns, in the byte order of the machine


class PackedMarkers:
    """A MarkerArray of ``markers``, whose stamps and poses are overwritten.

    The places of these in the bytes are found by serialising patterns. The code so relies on one property of the
    encoding: numbers have the byte order of the machine.
    """

    def __init__(self, markers: Sequence[Marker]) -> None:
        seconds, nanoseconds = struct.unpack(_STAMP_FORMAT, _STAMP)
        pose = struct.unpack("=7d", _POSE)
        for marker in markers:
            marker.header.stamp = Time(sec=seconds, nanosec=nanoseconds)
            place, turn = marker.pose.position, marker.pose.orientation
            place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w = pose
        data = serialize_message(MarkerArray(markers=list(markers)))
        self._stamps = _places(data, _STAMP)
        self._poses = _places(data, _POSE)
        self._data = np.frombuffer(data, np.uint8).copy()

    def pack(self, stamp: Time, rows: Array) -> bytes:
        """The message at ``stamp``; ``rows``: (n, 7) place, m, and unit quaternion x, y, z, w of each marker."""
        self._data[self._stamps] = np.frombuffer(
            struct.pack(_STAMP_FORMAT, stamp.sec, stamp.nanosec), np.uint8
        )
        self._data[self._poses] = np.ascontiguousarray(rows, dtype=np.float64).view(np.uint8)
        return self._data.tobytes()


def _places(data: bytes, pattern: bytes) -> Array:
    """Indices of the bytes of each occurrence of the pattern: (n, length of the pattern)."""
    begins = [found.start() for found in re.finditer(re.escape(pattern), data)]
    return np.array(begins, dtype=np.int64).reshape(-1, 1) + np.arange(len(pattern))
