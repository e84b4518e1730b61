# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml dry-run` and `bml replay`: a document on a virtual clock, and a logged run once more."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from embodiment_bridge import bml
from embodiment_bridge.behaviour.engine.blackboard import values_of
from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.rehearsal.rehearse import DEFAULT_UNTIL_S, PAUSE_S, Cues, Line, rehearse
from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.cli.ending import exit_code
from embodiment_bridge.cli.files import read_document, read_text
from embodiment_bridge.cli.lengths import add_media_option, given_media
from embodiment_bridge.cli.options import (
    add_reading_options,
    add_run_options,
    given_subtrees,
    given_values,
    pairs,
    seconds,
)
from embodiment_bridge.core.unicode_text import one_line
from embodiment_bridge.media.speech.store import times_of

if TYPE_CHECKING:
    from embodiment_bridge.cli.robots.robot import Robot

REPLAY_EXAMPLES = """\
examples:
  embodiment_bridge bml replay logs/20260101T120000_1f3a5c77.jsonl
One line per transition: scheduled time, event, JSON pointer, name, message. Exit code 0 when the run went as its log
says, 1 when it did not; then the first difference is printed.
"""


def add_replay(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `bml replay`."""
    command = actions.add_parser(
        "replay",
        help="repeat a logged run",
        description="Repeat a run from its log (parameter log_dir of the behaviour-tree node), without a robot.",
        epilog=REPLAY_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="LOG", help="the log; - reads standard input")
    command.set_defaults(run=run_replay)


def run_replay(arguments: argparse.Namespace) -> int:
    """Repeat the run; ``REPLAY_EXAMPLES`` lists the exit codes."""
    lines = read_text(arguments.file).splitlines()
    before, now = logged(lines), replay(lines)
    sys.stdout.writelines(f"{_line(transition)}\n" for transition in now)
    for number, (one, other) in enumerate(zip_longest(before, now), 1):
        if one != other:
            sys.stderr.write(f"transition {number} differs: logged {_line(one)}; now {_line(other)}\n")
            return 1
    sys.stderr.write(f"{len(now)} transitions, as in the log\n")
    return 0


def _line(transition: Transition | None) -> str:
    if transition is None:
        return "nothing"
    origin = transition.origin
    words = (origin.pointer or '""', origin.name, transition.code, transition.message)
    line = f"{transition.t:9.3f} {transition.event:10} {' '.join(word for word in words if word)}"
    return one_line(line)


EXAMPLES = """\
examples:
  embodiment_bridge bml dry-run dance.json --media http://example.org/song.mp3=20
  embodiment_bridge bml dry-run chain.json --reply http://example.org/next=next.json --speech 3
  embodiment_bridge bml dry-run greet.json --set battery=0.12 --seed 7 --subtree wave=wave.json
  embodiment_bridge bml dry-run greet.json --fail wave --fail /behaviors/2="no such thing" --pause 1.5
JSON lines; the last has the outcome. Exit codes: 0 SUCCEEDED or STOPPED, 1 FAILED, 2 usage, 3 REJECTED, 4 other.
"""
FAILED_BY_OPTION = "failed, as --fail asks"


def add(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `bml dry-run`."""
    command = actions.add_parser(
        "dry-run",
        help="run a document on a virtual clock",
        description="Run a document on a virtual clock.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_reading_options(command)
    add_media_option(command)
    command.add_argument(
        "--speech",
        type=seconds,
        metavar="SECONDS",
        help="length of each spoken text (default: about as long as a voice takes for it)",
    )
    command.add_argument(
        "--reply",
        action="append",
        default=[],
        metavar="URL=FILE",
        help="reply to a request (default: one that succeeds at once; with --reply other requests fail)",
    )
    command.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="NODE[=REASON]",
        help="a node, by name or JSON pointer, that fails whenever it begins",
    )
    command.add_argument(
        "--pause",
        action="append",
        type=seconds,
        default=[],
        metavar="AT",
        help=f"pause the run at this time in s, and resume it {PAUSE_S:g} s later",
    )
    command.add_argument("--cancel", type=seconds, metavar="AT", help="cancel the run at this time in s")
    command.add_argument(
        "--until",
        type=seconds,
        default=DEFAULT_UNTIL_S,
        metavar="SECONDS",
        help="time limit of the run (default: %(default)g)",
    )
    command.add_argument(
        "--missing-channel",
        choices=("skip", "fail"),
        help="what an action does if the body lacks its channel (default: as the robot, which waits for its time)",
    )
    add_run_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run a document on a virtual clock; ``EXAMPLES`` lists the exit codes."""
    from embodiment_bridge.cli.robots.robot import given_robot

    outcome = ""
    for line in _lines(given_robot(arguments), arguments):
        outcome = str(line.get("outcome", ""))
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    return exit_code(outcome)


def _lines(robot: "Robot", arguments: argparse.Namespace) -> Iterator[Line]:
    given = values_of(given_values(arguments).items())
    replies = {url: read_text(name) for url, name in pairs("--reply", arguments.reply, "URL=FILE", last=True)}
    cues = Cues(
        media=given_media(arguments.media),
        speech=_speech_length(robot, arguments),
        replies=replies,
        assume_replies=not replies,
        until=arguments.until,
        values={**robot.values, **given},
        seed=arguments.seed or 0,
        failures=dict(_failures(arguments.fail)),
        pauses=tuple(arguments.pause),
        cancel_at=arguments.cancel,
    )
    text = read_document(arguments.file)
    subtrees = given_subtrees(arguments)
    refusal = _refusal(robot, text, subtrees, arguments)
    veto = robot.veto(given)
    if refusal or veto:
        yield {"outcome": "REJECTED", "t": 0.0, "reason": refusal or veto}
        return
    settings = robot.rules.settings
    if arguments.missing_channel:
        settings = replace(settings, missing_channel=arguments.missing_channel)
    rules = robot.rules_for(strict=arguments.strict, subtrees=subtrees)
    yield from rehearse(text, rules, cues, settings)


def _speech_length(robot: "Robot", arguments: argparse.Namespace) -> Any:
    """Return how long a text is spoken; None where the robot has no speech."""
    if arguments.speech is not None:
        return arguments.speech
    return (lambda text, rate: times_of(text, rate)[0]) if robot.rules.speaks else None


def _refusal(robot: "Robot", text: str, subtrees: dict[str, str], arguments: argparse.Namespace) -> str:
    """Return why the age of the document, and only that, has it refused; empty if it does not."""
    document = bml.read(text, strict=arguments.strict, subtrees=subtrees).document
    return "" if document is None else robot.stale(document)


def _failures(words: list[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        node, separator, reason = word.partition("=")
        yield node, reason if separator and reason else FAILED_BY_OPTION
