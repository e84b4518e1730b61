# SPDX-License-Identifier: Apache-2.0
"""Launch files without ROS's own launch: ``read`` turns one into a launch description, ``up`` runs that."""
