# SPDX-License-Identifier: Apache-2.0
"""Markers that were serialised once say what markers that are serialised anew would say."""

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point
from rclpy.serialization import deserialize_message
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.nodes.soccer.monitor_publishers import _POSE, _STAMP, PackedMarkers, _places

STAMP = Time(sec=-7, nanosec=999_999_999)


def marker(index, text):
    """Strings of all lengths, so that what comes after them is aligned in all ways."""
    made = Marker(ns="n" * index, id=index, type=Marker.LINE_LIST, text=text, lifetime=Duration(sec=3))
    made.header.frame_id = "f" * (3 * index + 1)
    made.header.stamp = Time(sec=0x01010101, nanosec=5)
    made.scale.x, made.color.a = 0.5, 0.25
    made.points = [Point(x=1.0)] * (index % 3)
    made.mesh_resource = "m" * (index % 5)
    made.pose.orientation.w = 1.0
    return made


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_packed_is_as_serialised(count):
    markers = [marker(index, "t" * (index // 2)) for index in range(count)]
    packed = PackedMarkers(markers)
    for turn in range(3):
        rows = np.random.default_rng(turn).normal(size=(count, 7))
        data = packed.pack(STAMP, rows)
        for one, row in zip(markers, rows.tolist(), strict=True):
            one.header.stamp = STAMP
            place, turned = one.pose.position, one.pose.orientation
            place.x, place.y, place.z, turned.x, turned.y, turned.z, turned.w = row
        assert deserialize_message(data, MarkerArray) == MarkerArray(markers=markers)


@pytest.mark.parametrize("pattern", [_POSE, _STAMP])
def test_what_is_left_in_memory_before_a_pattern_is_not_taken_for_it(pattern):
    for size in range(8):
        for left in (pattern[:size], pattern[len(pattern) - size :]):
            data = b"".join([left, pattern, left, b"text", left, pattern, left])
            second = 3 * size + len(pattern) + 4
            assert _places(data, pattern)[:, 0].tolist() == [size, second]
