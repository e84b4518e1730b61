# SPDX-License-Identifier: Apache-2.0
"""What the two actions of the behaviour-tree node have in common."""

from dataclasses import dataclass

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
from embodiment_bridge.nodes.tree.runs.performer import Performer
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts
from embodiment_bridge.nodes.tree.runs.tree_publisher import TreePublisher


@dataclass(frozen=True, slots=True)
class TreeParts:
    """Goals enter by ``gate``; their runs get ``ports`` and ``settings``, and go to ``performer``.

    files: the logs of runs; None: there are none.
    """

    body: BodySkills
    ports: RunPorts
    files: RunFiles | None
    performer: Performer
    gate: GoalGate
    viewers: TreePublisher
    settings: Settings
