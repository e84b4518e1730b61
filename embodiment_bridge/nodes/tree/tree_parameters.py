# SPDX-License-Identifier: Apache-2.0
"""All parameters of the behaviour-tree node."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.sound.fetch_parameters import PARAMETERS as FETCH_PARAMETERS
from embodiment_bridge.nodes.sound.media_parameters import PARAMETERS as MEDIA_PARAMETERS
from embodiment_bridge.nodes.tree.goal_gate import PARAMETERS as GATE_PARAMETERS
from embodiment_bridge.nodes.tree.plan_server import PARAMETERS as PLAN_PARAMETERS
from embodiment_bridge.nodes.tree.safety import PARAMETERS as SAFETY_PARAMETERS
from embodiment_bridge.nodes.tree.start_requests import PARAMETERS as START_PARAMETERS

PARAMETERS = (
    Parameter(
        "tick_rate", 50.0, "Ticks per second (Hz) while a document runs; none while idle.", 1.0, 1000.0
    ),
    Parameter(
        "missing_channel",
        "skip",
        "What an action does that moves what the body lacks: skip takes its time and succeeds.",
        choices=("skip", "fail"),
    ),
    Parameter(
        "breakpoints",
        [""],
        "Names or JSON pointers of nodes before which runs pause; may be set at any time.",
        fixed=False,
    ),
    Parameter(
        "blackboard",
        [""],
        "Values of topics for conditions, each as name=topic:field: battery.percent=battery:percentage.",
    ),
    Parameter(
        "blackboard_max_age",
        0.0,
        "A value that did not come again for so long is forgotten, s; 0 never.",
        0.0,
        86400.0,
    ),
    Parameter("log_dir", "", "Folder for one log file of JSON lines per run; empty: none are written."),
    *PLAN_PARAMETERS,
    *MEDIA_PARAMETERS,
    *FETCH_PARAMETERS,
    *START_PARAMETERS,
    *SAFETY_PARAMETERS,
    *GATE_PARAMETERS,
    Parameter("log_keep", 100, "How many log files stay in log_dir.", 1, 100_000),
)
