# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml ...`: tools for BML documents, logs and motions; `validate` and `show` read a document.

`record-motion` and `--robot` need ROS.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from embodiment_bridge import bml
from embodiment_bridge.bml.authoring.show import to_dot, to_svg, to_text
from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.commands import bml_dry_run, bml_preprocess, bml_record
from embodiment_bridge.cli.commands.bml_preprocess import write_problems
from embodiment_bridge.cli.files import read_document
from embodiment_bridge.cli.lengths import add_media_option, given_media
from embodiment_bridge.cli.options import add_reading_options, given_subtrees

if TYPE_CHECKING:
    from embodiment_bridge.cli.robots.robot import Robot

EXAMPLES = """\
examples:
  embodiment_bridge bml validate dance.json
  embodiment_bridge bml dry-run --help       and so for each action
"""
VALIDATE_EXAMPLES = """\
examples:
  embodiment_bridge bml validate dance.json
  embodiment_bridge bml validate --strict --body t1 dance.json
  embodiment_bridge bml validate --body my_robot.yaml --params my_robot_params.yaml dance.json
  embodiment_bridge bml validate --robot /robot1 dance.json
One line per problem, "POINTER: CODE: text"; warnings begin with "warning ". With --times also how long the document
takes: "time: [least, expected, most] s". Exit code 1 if there are errors.
"""
SHOW_EXAMPLES = """\
examples:
  embodiment_bridge bml show dance.json
  embodiment_bridge bml show --format svg dance.json > dance.svg
  embodiment_bridge bml show --media http://example.org/song.mp3=20 song.json
Each node has its estimated length: least, expected and longest seconds. Exit code 1 if the document has errors, which
go to standard error.
"""
DRAWINGS = {"text": to_text, "dot": to_dot, "svg": to_svg}


def add(commands: Commands) -> None:
    """Declare the commands."""
    group = declare(commands, "bml", "BML documents.", EXAMPLES)
    actions = group.add_subparsers(metavar="ACTION", required=True)
    _add_checks(actions)
    bml_dry_run.add(actions)
    bml_dry_run.add_replay(actions)
    bml_record.add(actions)
    bml_preprocess.add(actions)


def _add_checks(actions: Commands) -> None:
    validate = _declare(
        actions, "validate", "list all problems of a document, with JSON pointers", VALIDATE_EXAMPLES
    )
    validate.add_argument("--times", action="store_true", help="print how long the document takes")
    validate.set_defaults(run=run_validate)
    show = _declare(actions, "show", "draw the tree of a document, with its times", SHOW_EXAMPLES)
    show.add_argument("--format", choices=tuple(DRAWINGS), default="text", help="default: text")
    show.set_defaults(run=run_show)


def _declare(actions: Commands, name: str, summary: str, examples: str) -> argparse.ArgumentParser:
    command = actions.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_reading_options(command)
    command.add_argument(
        "--speech", action="store_true", help="accept text to speak, also where the robot has no speech"
    )
    add_media_option(command)
    return command


def run_validate(arguments: argparse.Namespace) -> int:
    """Check a document. Exit code 1 if it has errors; with warnings only it is 0."""
    robot = _robot(arguments)
    result = _read(arguments)
    problems = _problems(result, robot, arguments)
    estimate = None
    if result.document is not None:
        analysis = _analysis(result.document, robot, given_media(arguments.media))
        problems += analysis.warnings
        estimate = analysis.estimates[result.document.root.pointer]
    write_problems(result.located(problems), sys.stdout)
    if arguments.times and estimate is not None:
        sys.stdout.write(f"time: {_time_text(estimate)}\n")
    return int(any(problem.fatal for problem in problems))


def run_show(arguments: argparse.Namespace) -> int:
    """Draw the readable part of a document. Exit code 1 if it has errors, which go to standard error."""
    robot = _robot(arguments)
    result = _read(arguments)
    problems = _problems(result, robot, arguments)
    if result.document is not None:
        estimates = _analysis(result.document, robot, given_media(arguments.media)).estimates
        sys.stdout.write(DRAWINGS[arguments.format](result.document, estimates).rstrip() + "\n")
    write_problems(result.located(problems), sys.stderr)
    return int(any(problem.fatal for problem in problems))


def _robot(arguments: argparse.Namespace) -> "Robot":
    from embodiment_bridge.cli.robots.robot import given_robot

    return given_robot(arguments)


def _read(arguments: argparse.Namespace) -> bml.Result:
    return bml.read(
        read_document(arguments.file), strict=arguments.strict, subtrees=given_subtrees(arguments)
    )


def _problems(result: bml.Result, robot: "Robot", arguments: argparse.Namespace) -> list[bml.Problem]:
    if result.readable is None:
        return result.problems
    return [*result.problems, *robot.problems(result.readable, speech=arguments.speech)]


def _analysis(document: bml.Document, robot: "Robot", media: Mapping[str, float]) -> bml.Analysis:
    return bml.analyse(document, robot.skills, media_s=media)


def _time_text(estimate: bml.Estimate) -> str:
    expected = "not known" if estimate.expected_s is None else f"{estimate.expected_s:g}"
    end = "; for ever unless something ends it" if estimate.forever else ""
    return f"[{estimate.min_s:g}, {expected}, {estimate.max_s:g}] s{end}"
