# SPDX-License-Identifier: Apache-2.0
"""The options that say for which robot a document is checked; ``robots.robot.given_robot`` reads them."""

import argparse

from embodiment_bridge.cli.namespaces import namespace

USUAL_BODY = "mock"
USUAL_SOURCE = "run-bml"  # as that command names itself


def add_robot_options(command: argparse.ArgumentParser) -> None:
    """Declare the options."""
    which = command.add_mutually_exclusive_group()
    which.add_argument(
        "--body",
        help="body whose actions are known: its name, a value of the launch argument body, or the path of a body file "
        f"(default: {USUAL_BODY})",
    )
    which.add_argument(
        "--robot",
        type=namespace,
        metavar="NAMESPACE",
        help="ask the robot of the running graph for its skills, parameters and values; / is the usual namespace",
    )
    command.add_argument(
        "--params",
        metavar="FILE",
        help="parameter file of the robot: what may be fetched, speech, guards, channels of sources, limits",
    )
    command.add_argument(
        "--source",
        default=USUAL_SOURCE,
        help="who sends the document, for source_channels (default: %(default)s)",
    )
