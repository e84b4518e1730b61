# SPDX-License-Identifier: Apache-2.0
"""Recordings of the graph: MCAP in a rosbag2 directory, which rosbag2 can read; made without rosbag2."""
