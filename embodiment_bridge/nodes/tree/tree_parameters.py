# SPDX-License-Identifier: Apache-2.0
"""All parameters of the behaviour-tree node."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.tree.goal_gate import PARAMETERS as GATE_PARAMETERS
from embodiment_bridge.nodes.tree.plan_server import PARAMETERS as PLAN_PARAMETERS
from embodiment_bridge.nodes.tree.runs.document_rules import PARAMETERS as RULE_PARAMETERS
from embodiment_bridge.nodes.tree.start_requests import PARAMETERS as START_PARAMETERS
from embodiment_bridge.nodes.tree.values.team_feed import PARAMETERS as TEAM_PARAMETERS

PARAMETERS = (
    Parameter(
        "tick_rate", 50.0, "Ticks per second (Hz) while a document runs; none while idle.", 1.0, 1000.0
    ),
    Parameter(
        "breakpoints",
        [""],
        "Names or JSON pointers of nodes before which runs pause; may be set at any time.",
        fixed=False,
    ),
    Parameter("log_dir", "", "Folder for one log file of JSON lines per run; empty: none are written."),
    *PLAN_PARAMETERS,
    *START_PARAMETERS,
    *RULE_PARAMETERS,
    *GATE_PARAMETERS,
    *TEAM_PARAMETERS,
    Parameter("log_keep", 100, "How many log files stay in log_dir.", 1, 100_000),
)
