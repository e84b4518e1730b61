# SPDX-License-Identifier: Apache-2.0
"""The option ``--media``: how long sounds are."""

import argparse
import math
from collections.abc import Iterable
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import is_file, read_text
from embodiment_bridge.core.safe_yaml import load


def add_media_option(command: argparse.ArgumentParser) -> None:
    """Declare ``--media``."""
    command.add_argument(
        "--media",
        action="append",
        default=[],
        metavar="URL=SECONDS|FILE",
        help="length of the sound at a URL, or a JSON or YAML file with a table of such lengths",
    )


def given_media(words: Iterable[str]) -> dict[str, float]:
    """Return lengths in s by URL.

    Raises:
        ConfigError: a word has another form, a file cannot be read, or a length is not a number of seconds, 0 or more.
    """
    lengths: dict[str, float] = {}
    for word in words:
        url, _, seconds = word.rpartition("=")
        try:
            pair = {url: float(seconds)} if url else None
        except ValueError:
            pair = None
        lengths.update(pair if pair is not None else _table(word))
    for url, length in lengths.items():
        if not (math.isfinite(length) and length >= 0.0):
            raise ConfigError(
                f"--media: the length of {url} is {length!r} s; it is a finite number, 0 or more"
            )
    return lengths


def _table(name: str) -> dict[str, float]:
    path = Path(name)
    if not is_file(path):
        url, separator, text = name.rpartition("=")
        if separator and url:
            raise ConfigError(f"--media {name}: {text!r} is not a number of seconds")
        raise ConfigError(
            f"--media {name!r} is not of the form URL=VALUE, with a length in s, and not a file"
        )
    try:
        table = load(read_text(path))
    except ConfigError as error:
        raise ConfigError(f"--media {name}: {error}") from error
    if not isinstance(table, dict):
        raise ConfigError(f"--media {name}: the file has no table of lengths in s by URL")
    for url, seconds in table.items():
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise ConfigError(f"--media {name}: the length of {url} is a number of s, not {seconds!r:.100}")
    return {str(url): float(seconds) for url, seconds in table.items()}
