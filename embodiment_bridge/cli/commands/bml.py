# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml ...`: tools for BML documents, logs and motions. Only `record-motion` needs ROS."""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from embodiment_bridge import bml
from embodiment_bridge.behaviour.engine.values import values_of
from embodiment_bridge.behaviour.rehearsal.dry_run import DEFAULT_UNTIL_S, dry_run
from embodiment_bridge.bml.authoring.show import to_dot, to_svg, to_text
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.cli.bml_options import (
    add_run_options,
    add_subtree_option,
    given_subtrees,
    given_values,
)
from embodiment_bridge.cli.commands import bml_preprocess, bml_record, bml_replay
from embodiment_bridge.cli.durations import seconds
from embodiment_bridge.cli.files import read_text
from embodiment_bridge.cli.outcome import exit_code
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.launching.shares import find_share

EXAMPLES = """\
examples:
  embodiment_bridge bml validate dance.json
  embodiment_bridge bml dry-run --help       and so for each action
"""
VALIDATE_EXAMPLES = """\
examples:
  embodiment_bridge bml validate dance.json
  embodiment_bridge bml validate --strict --body t1 dance.json
One line per problem, "POINTER: CODE: text"; warnings begin with "warning ". With --times also how long the document
takes: "time: [least, expected, most] s". Exit code 1 if there are errors.
"""
SHOW_EXAMPLES = """\
examples:
  embodiment_bridge bml show dance.json
  embodiment_bridge bml show --format svg dance.json > dance.svg
Each node has its estimated length: least, expected and longest seconds. Exit code 1 if the document has errors, which
go to standard error.
"""
DRY_RUN_EXAMPLES = """\
examples:
  embodiment_bridge bml dry-run dance.json --media http://example.org/song.mp3=20
  embodiment_bridge bml dry-run chain.json --reply http://example.org/next=next.json --speech 3
  embodiment_bridge bml dry-run greet.json --set battery.percent=12 --seed 7 --subtree wave=wave.json
JSON lines; the last has the outcome. Exit codes: 0 SUCCEEDED or STOPPED, 1 FAILED, 2 usage, 3 REJECTED, 4 other.
"""


DRAWINGS = {"text": to_text, "dot": to_dot, "svg": to_svg}


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands."""
    group = commands.add_parser(
        "bml",
        help="check or rehearse a BML document",
        description="BML documents.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = group.add_subparsers(metavar="ACTION", required=True)
    validate = _declare(
        actions, "validate", "list all problems of a document, with JSON pointers", VALIDATE_EXAMPLES
    )
    validate.add_argument("--speech", action="store_true", help="accept text to speak")
    validate.add_argument("--times", action="store_true", help="print how long the document takes")
    validate.set_defaults(run=run_validate)
    show = _declare(actions, "show", "draw the tree of a document, with its times", SHOW_EXAMPLES)
    show.add_argument("--format", choices=tuple(DRAWINGS), default="text", help="default: text")
    show.set_defaults(run=run_show)
    rehearse = _declare(actions, "dry-run", "run a document on a virtual clock", DRY_RUN_EXAMPLES)
    rehearse.add_argument(
        "--media", action="append", default=[], metavar="URL=SECONDS", help="length of the sound at a URL"
    )
    rehearse.add_argument("--speech", type=float, metavar="SECONDS", help="length of each spoken text")
    rehearse.add_argument(
        "--reply", action="append", default=[], metavar="URL=FILE", help="reply to a request"
    )
    rehearse.add_argument(
        "--until",
        type=seconds,
        default=DEFAULT_UNTIL_S,
        metavar="SECONDS",
        help="time limit of the run (default: %(default)g)",
    )
    rehearse.add_argument(
        "--missing-channel",
        choices=("skip", "fail"),
        default="skip",
        help="what an action does if the body lacks its channel (default: wait for its time)",
    )
    add_run_options(rehearse)
    rehearse.set_defaults(run=run_dry_run)
    bml_replay.add(actions)
    bml_record.add(actions)
    bml_preprocess.add(actions)


def _declare(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, summary: str, examples: str
) -> argparse.ArgumentParser:
    command = actions.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", help="the document; - reads standard input")
    command.add_argument(
        "--body", default="mock", help="body whose actions are known: mock, t1, ... (default: mock)"
    )
    command.add_argument("--strict", action="store_true", help="refuse what tolerant reading would accept")
    add_subtree_option(command)
    return command


def run_validate(arguments: argparse.Namespace) -> int:
    """Check a document. Exit code 1 if it has errors; with warnings only it is 0."""
    skills = body_skills(arguments.body)
    result = _read(arguments)
    problems = list(result.problems)
    estimate = None
    if result.document is not None:
        problems += bml.check(result.document, skills, speech=arguments.speech)
        analysis = bml.analyse(result.document, skills)
        problems += analysis.warnings
        estimate = analysis.estimates[result.document.root.pointer]
    for problem in problems:
        sys.stdout.write(f"{'' if problem.fatal else 'warning '}{problem}\n")
    if arguments.times and estimate is not None:
        sys.stdout.write(f"time: {_time_text(estimate)}\n")
    return int(any(problem.fatal for problem in problems))


def _read(arguments: argparse.Namespace) -> bml.Result:
    return bml.read(read_text(arguments.file), strict=arguments.strict, subtrees=given_subtrees(arguments))


def _time_text(estimate: bml.Estimate) -> str:
    expected = "not known" if estimate.expected_s is None else f"{estimate.expected_s:g}"
    end = "; for ever unless something ends it" if estimate.forever else ""
    return f"[{estimate.min_s:g}, {expected}, {estimate.max_s:g}] s{end}"


def run_show(arguments: argparse.Namespace) -> int:
    """Draw the readable part of a document. Exit code 1 if it has errors, which go to standard error."""
    skills = body_skills(arguments.body)
    result = _read(arguments)
    problems = list(result.problems)
    if result.document is not None:
        problems += bml.check(result.document, skills, speech=True)
        estimates = bml.analyse(result.document, skills).estimates
        sys.stdout.write(DRAWINGS[arguments.format](result.document, estimates).rstrip() + "\n")
    for problem in problems:
        sys.stderr.write(f"{'' if problem.fatal else 'warning '}{problem}\n")
    return int(any(problem.fatal for problem in problems))


def run_dry_run(arguments: argparse.Namespace) -> int:
    """Run a document on a virtual clock; ``DRY_RUN_EXAMPLES`` lists the exit codes."""
    lines = dry_run(
        read_text(arguments.file),
        body_skills(arguments.body),
        media={url: _seconds(text, url) for url, text in _urls("--media", arguments.media)},
        speech=arguments.speech,
        replies={url: read_text(name) for url, name in _urls("--reply", arguments.reply)},
        until=arguments.until,
        strict=arguments.strict,
        subtrees=given_subtrees(arguments),
        values=values_of(given_values(arguments).items()),
        seed=arguments.seed or 0,
        missing_channel=arguments.missing_channel,
    )
    outcome = ""
    for line in lines:
        outcome = line.get("outcome", "")
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    return exit_code(outcome)


def body_skills(name: str) -> dict[str, SkillInfo]:
    """The skills of a body of this package.

    Raises:
        ConfigError: the body is unknown.
    """
    folder = find_share("embodiment_bridge") / "config" / "bodies"
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise ConfigError(unknown("body", name, (p.stem for p in Path(folder).glob("*.yaml"))))
    return {info.name: info for info in read_body(path).skill_infos()}


def _urls(option: str, words: Iterable[str]) -> Iterable[tuple[str, str]]:
    for word in words:  # a URL may contain a =
        left, separator, right = word.rpartition("=")
        if not separator or not left:
            raise ConfigError(f"{option} {word!r} is not of the form URL=VALUE")
        yield left, right


def _seconds(text: str, url: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"--media {url}={text}: {text!r} is not a number of seconds") from None
