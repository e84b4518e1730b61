# SPDX-License-Identifier: Apache-2.0
"""What `bml dry-run` and `run-bml` have in common: values, seed and subtrees of a run."""

import argparse
import json
from collections.abc import Iterable, Iterator

from embodiment_bridge.cli.files import read_text
from embodiment_bridge.core.errors import ConfigError

LARGEST_SEED = 2**32 - 1


def add_subtree_option(command: argparse.ArgumentParser) -> None:
    """Declare ``--subtree``."""
    command.add_argument(
        "--subtree", action="append", default=[], metavar="NAME=FILE", help="a document that FILE refers to"
    )


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Declare ``--set`` and ``--seed``."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help='value of the blackboard at the beginning, as JSON: true, 3.5, "text"; bare words are texts',
    )
    command.add_argument(
        "--seed", type=_seed, help=f"of what is drawn at random, 0 to {LARGEST_SEED}: the same draws again"
    )


def pairs(option: str, words: Iterable[str], form: str) -> Iterator[tuple[str, str]]:
    """Both sides of the first =.

    Raises:
        ConfigError: there is none.
    """
    for word in words:
        left, separator, right = word.partition("=")
        if not separator or not left:
            raise ConfigError(f"{option} {word!r} is not of the form {form}")
        yield left, right


def given_values(arguments: argparse.Namespace) -> dict[str, str]:
    """JSON by key; what is no JSON is a text, for shells take the quotes away."""
    return {name: _as_json(text) for name, text in pairs("--set", arguments.set, "NAME=VALUE")}


def given_subtrees(arguments: argparse.Namespace) -> dict[str, str]:
    """Documents by name.

    Raises:
        ConfigError: a file cannot be read.
    """
    return {name: read_text(path) for name, path in pairs("--subtree", arguments.subtree, "NAME=FILE")}


def _seed(text: str) -> int:
    seed = int(text)
    if not 0 <= seed <= LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"{text} is not within 0 to {LARGEST_SEED}")
    return seed


def _as_json(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps(text)
    return text
