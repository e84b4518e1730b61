# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge doctor`: check whether this machine can run everything, and say how to fix it if not."""

import argparse
import json
import os
import sys

from embodiment_bridge.cli.doctor.examination import examine
from embodiment_bridge.cli.doctor.finding import Verdict

EXAMPLES = """\
examples:
  embodiment_bridge doctor
  embodiment_bridge doctor --permissions > policy.xml
One line per check: "ok|warn|fail  what: finding; do this". Exit code 1 if any failed; warnings alone are 0.
It looks on this machine only, unless the variables of ROS 2 open the graph to others.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "doctor",
        description="Check Python, ROS, the middleware, ports and programs of this machine.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--json", action="store_true", help="one JSON object per line: verdict, what, finding, do"
    )
    command.add_argument(
        "--permissions",
        action="store_true",
        help="instead, print the SROS 2 policy that allows what the nodes of the running graph do (docs/ros.md)",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check. Exit code 0, or 1 if any check failed (with --permissions: if there is no node)."""
    if arguments.permissions:
        return _print_permissions()
    failed = False
    for finding in examine(dict(os.environ)):
        failed = failed or finding.verdict is Verdict.FAIL
        line = json.dumps(finding.as_dict(), ensure_ascii=False) if arguments.json else str(finding)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return int(failed)


def _print_permissions() -> int:
    from embodiment_bridge.cli.doctor.running import uses
    from embodiment_bridge.cli.doctor.security import policy
    from embodiment_bridge.launching.environment import prepare

    prepare()
    nodes = uses()
    if not nodes:
        sys.stderr.write("embodiment_bridge: no nodes in this domain; start the graph first\n")
        return 1
    sys.stdout.write(policy(nodes))
    return 0
