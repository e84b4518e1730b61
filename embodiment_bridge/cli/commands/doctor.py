# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge doctor`: check whether this machine can run everything, and say how to fix it if not."""

import argparse
import json
import os
import sys

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.doctor.examination import examine
from embodiment_bridge.cli.doctor.finding import Verdict

EXAMPLES = """\
examples:
  embodiment_bridge doctor
One line per check: "ok|warn|fail  what: finding; do this". Exit code 1 if any failed; warnings alone are 0.
It looks on this machine only, unless the variables of ROS 2 open the graph to others.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "doctor",
        "Check Python, ROS, the middleware, ports and programs of this machine.",
        EXAMPLES,
        run,
    )
    command.add_argument(
        "--json", action="store_true", help="one JSON object per line: verdict, what, finding, do"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check. Exit code 0, or 1 if any check failed."""
    failed = False
    for finding in examine(dict(os.environ)):
        failed = failed or finding.verdict is Verdict.FAIL
        line = json.dumps(finding.as_dict(), ensure_ascii=False) if arguments.json else str(finding)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return int(failed)
