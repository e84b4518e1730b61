# SPDX-License-Identifier: Apache-2.0
"""A page in the browser that shows robots: server, scene and panels.

Nothing here knows ROS. What comes from the graph are values with the fields of the messages; a thread of its own draws
them, so that whoever hands them over never waits.
"""
