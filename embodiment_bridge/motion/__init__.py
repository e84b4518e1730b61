# SPDX-License-Identifier: Apache-2.0
"""Motion of a body: skills, gaits and joints, stepped with sensed states. It uses no ROS."""
