# SPDX-License-Identifier: Apache-2.0
"""Plans of actions that brains make: what the actions are called, what they need, and which skills do them.

Nothing here knows of a protocol or of ROS: lengths are m and angles rad, in ``map``.
"""
