# SPDX-License-Identifier: Apache-2.0
"""A world of square cells: the pose of an agent, its map of the world, and path planning.

Cells are counted from the start cell: x to the east, y to the north. The code is independent of protocol and ROS.
"""
