# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes: parameters, topics, actions, diagnostics; no parsing and no arithmetic."""
