# SPDX-License-Identifier: Apache-2.0
"""Sends plans to `execute_action_plan` and follows each to its end."""

from rclpy.node import Node

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.nodes.base.goal_client import SentGoal, TreeClient

PlanGoal = SentGoal[ExecuteActionPlan.Feedback, ExecuteActionPlan.Result]


class PlanClient(TreeClient[ExecuteActionPlan.Feedback, ExecuteActionPlan.Result]):
    """The client of one body, in ``namespace`` (empty: that of the node)."""

    def __init__(self, node: Node, namespace: str = "") -> None:
        name = f"{namespace.rstrip('/')}/execute_action_plan" if namespace else "execute_action_plan"
        super().__init__(node, ExecuteActionPlan, name)
