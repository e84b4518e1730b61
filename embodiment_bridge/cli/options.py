# SPDX-License-Identifier: Apache-2.0
"""Options and argparse types that several commands share."""

import argparse
import json
import math
from collections.abc import Iterable, Iterator

from embodiment_bridge.cli.files import read_document
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.launch_description import join_namespace


class Within:
    """Reads a number from ``lower`` to ``upper``, both included; ``kind`` int: a whole one."""

    def __init__(self, lower: float, upper: float, kind: type[float] = float) -> None:
        self._lower, self._upper, self._kind = lower, upper, kind

    def __call__(self, text: str) -> float:
        """Return the number in a text."""
        try:
            value = self._kind(text)
        except ValueError:
            value = float("nan")
        if not self._lower <= value <= self._upper:
            what = "whole number" if self._kind is int else "number"
            raise argparse.ArgumentTypeError(
                f"{text} is not a {what} from {self._lower:.10g} to {self._upper:.10g}"
            )
        return value


def seconds(text: str) -> float:
    """Return a finite time, 0 or more, s."""
    value = float(text)
    if not math.isfinite(value) or value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} s is not a time; it must be finite, 0 or more")
    return value


def namespace(text: str) -> str:
    """Return the namespace as an absolute one; an empty text stays empty."""
    try:
        return join_namespace("", text) if text else text
    except ConfigError:
        rule = "parts between / are letters, digits and _, and do not begin with a digit"
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a namespace: {rule}") from None


def add_namespace_option(
    command: argparse.ArgumentParser, default: str = "", text: str = "namespace of the robot (default: /)"
) -> None:
    """Declare ``--namespace``."""
    command.add_argument("--namespace", type=namespace, default=default, help=text)


# The options that say for which robot a document is checked; ``robots.robot.given_robot`` reads them.

USUAL_BODY = "mock"
USUAL_SOURCE = "run-bml"  # the name that this command gives itself


def add_body_options(command: argparse.ArgumentParser) -> None:
    """Declare ``--body`` and ``--robot``, of which one may be given."""
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


def add_robot_options(command: argparse.ArgumentParser) -> None:
    """Declare the options that name a robot and its rules."""
    add_body_options(command)
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


LARGEST_SEED = 2**32 - 1
priority = Within(-(2**31), 2**31 - 1, int)  # an int32; the message would cut off the rest of a larger one


def add_subtree_option(command: argparse.ArgumentParser) -> None:
    """Declare ``--subtree``."""
    command.add_argument(
        "--subtree", action="append", default=[], metavar="NAME=FILE", help="a document that FILE refers to"
    )


def add_reading_options(command: argparse.ArgumentParser) -> None:
    """Declare FILE, ``--strict``, ``--subtree``, and the options that name a robot."""
    command.add_argument(
        "file", metavar="FILE", help="the document, or a shipped one by name; - reads standard input"
    )
    command.add_argument("--strict", action="store_true", help="refuse what tolerant reading would accept")
    add_robot_options(command)
    add_subtree_option(command)


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Declare ``--set`` and ``--seed``."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help='initial value on the blackboard, as JSON: true, 3.5, "text"; bare words are texts',
    )
    command.add_argument(
        "--seed",
        type=Within(0, LARGEST_SEED, int),
        help=f"seed of random choices, 0 to {LARGEST_SEED}: the same seed gives the same choices",
    )


def pairs(option: str, words: Iterable[str], form: str, *, last: bool = False) -> Iterator[tuple[str, str]]:
    """Split each word at its first ``=``; ``last``: at its last, as a URL may have one.

    Raises:
        ConfigError: a word has no ``=``, or nothing before it.
    """
    for word in words:
        left, separator, right = word.rpartition("=") if last else word.partition("=")
        if not separator or not left:
            raise ConfigError(f"{option} {word!r} is not of the form {form}")
        yield left, right


def given_values(arguments: argparse.Namespace) -> dict[str, str]:
    """Return JSON by key; a value that is not JSON becomes a text, because shells remove the quotes."""
    return {name: _as_json(text) for name, text in pairs("--set", arguments.set, "NAME=VALUE")}


def given_subtrees(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the documents of ``--subtree``, by name.

    Raises:
        ConfigError: a file cannot be read.
    """
    return {name: read_document(path) for name, path in pairs("--subtree", arguments.subtree, "NAME=FILE")}


def _as_json(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps(text)
    return text
