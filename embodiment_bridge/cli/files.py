# SPDX-License-Identifier: Apache-2.0
"""Reads files named on a command line; ``-`` is standard input."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from io import BufferedReader
from pathlib import Path
from typing import cast

from embodiment_bridge.core import input_file
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import exists
from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded
from embodiment_bridge.launching.environment import find_share

CHUNK = 65536
MAX_BYTES = 64 << 20  # limit of a document, or of the log of a run, which ends after 50 MB


def read_text(name: str) -> str:
    """Return the whole file as text.

    Raises:
        ConfigError: it cannot be read, is larger than ``MAX_BYTES``, or is not UTF-8.
    """
    if name != "-":
        return input_file.read_text(Path(name), most=MAX_BYTES)
    if len(data := sys.stdin.buffer.read(MAX_BYTES + 1)) > MAX_BYTES:
        raise ConfigError(f"standard input: it has more bytes than the limit of {MAX_BYTES}")
    try:
        return decoded(data)
    except NotUtf8Error as error:
        raise ConfigError(f"standard input: {error}") from error


def read_document(name: str) -> str:
    """Return the text of a BML document: a file, standard input, or a shipped one by name (``dance``).

    A file comes first.

    Raises:
        ConfigError: there is neither; the text has the shipped ones.
    """
    if name == "-" or exists(Path(name)) or Path(name).name != name:
        return read_text(name)
    shipped = shipped_documents()
    if Path(name).stem in shipped and Path(name).suffix in ("", ".json"):
        return read_text(str(shipped[Path(name).stem]))
    nowhere = unknown("shipped document", name, (f"{word}.json" for word in shipped))
    raise ConfigError(f"{name}: there is no such file here, and it is an {nowhere}")


def shipped_documents() -> dict[str, Path]:
    """Return the documents of this package, by name."""
    try:
        folder = find_share("embodiment_bridge") / "config" / "bml"
    except LookupError:  # not installed
        return {}
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def read_chunks(name: str) -> Iterator[bytes]:
    """Return the bytes of a file as they arrive.

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
