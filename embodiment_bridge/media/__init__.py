# SPDX-License-Identifier: Apache-2.0
"""Sound: the player and its outputs, the cache of media, and speech. Knows no ROS."""
