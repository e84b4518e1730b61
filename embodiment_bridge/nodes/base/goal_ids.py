# SPDX-License-Identifier: Apache-2.0
"""The id of a goal as text, and that of a run, which the behaviour tree and its client both make from it."""

import uuid

from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import ServerGoalHandle


def goal_id_of(goal: ServerGoalHandle | ClientGoalHandle) -> str:
    """32 hexadecimal digits."""
    return uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex


def run_id_of(goal: ServerGoalHandle | ClientGoalHandle) -> str:
    """The run that a goal of the behaviour tree asks for: short, as people read it."""
    return goal_id_of(goal)[:8]
