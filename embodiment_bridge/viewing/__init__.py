# SPDX-License-Identifier: Apache-2.0
"""A web page that shows robots: server, scene and panels.

The code does not use ROS. It gets values with the fields of ROS messages, and draws them on a thread of its own,
so that the sender of a message never waits.
"""
