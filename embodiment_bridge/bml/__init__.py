# SPDX-License-Identifier: Apache-2.0
"""BML, the behaviour language: documents as data, no robot and no ROS."""
