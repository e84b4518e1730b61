# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml ...`: tools for BML documents, logs and motions. `record-motion` and `--robot` need ROS."""

import argparse

from embodiment_bridge.cli.commands import bml_check, bml_dry_run, bml_preprocess, bml_record, bml_replay

EXAMPLES = """\
examples:
  embodiment_bridge bml validate dance.json
  embodiment_bridge bml dry-run --help       and so for each action
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands."""
    group = commands.add_parser(
        "bml",
        description="BML documents.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = group.add_subparsers(metavar="ACTION", required=True)
    for action in (bml_check, bml_dry_run, bml_replay, bml_record, bml_preprocess):
        action.add(actions)
