# SPDX-License-Identifier: Apache-2.0
"""Reads files named on a command line; ``-`` is standard input."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from io import BufferedReader
from pathlib import Path
from typing import cast

from embodiment_bridge.core.errors import ConfigError

CHUNK = 65536


def read_text(name: str) -> str:
    """The whole file as UTF-8 text; other bytes stay visible as escapes.

    Raises:
        ConfigError: it cannot be read.
    """
    return b"".join(read_chunks(name)).decode("utf-8", "surrogateescape")


def read_chunks(name: str) -> Iterator[bytes]:
    """The bytes of a file as they arrive.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with (
            nullcontext(cast(BufferedReader, sys.stdin.buffer)) if name == "-" else Path(name).open("rb")
        ) as stream:
            while chunk := stream.read1(CHUNK):  # what has arrived, without waiting for a whole chunk
                yield chunk
    except OSError as error:
        raise ConfigError(f"{name}: {error.strerror or error}") from error
