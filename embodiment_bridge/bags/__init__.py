# SPDX-License-Identifier: Apache-2.0
"""Recordings of the graph that rosbag2 reads: MCAP in a rosbag2 directory, without rosbag2."""
