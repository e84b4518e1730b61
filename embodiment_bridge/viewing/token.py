# SPDX-License-Identifier: Apache-2.0
"""Reads the token of the page from a file or the environment."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes

TOKEN_VARIABLE: Final = "EMBODIMENT_BRIDGE_VIEWER_TOKEN"
FORM: Final = re.compile(
    r"[A-Za-z0-9_-]{16,200}"
)  # hard to guess, and without characters to be quoted in an address or a cookie
MOST: Final = 300  # bytes that are read from a file


def token_of_user(path: str, env: Mapping[str, str] = os.environ) -> str | None:
    """The token in the file ``path``, without surrounding blanks; without a path that of the environment, or None.

    Raises:
        ConfigError: the file cannot be read, or the token has a wrong form; the text does not contain it.
    """
    if not path:
        given = env.get(TOKEN_VARIABLE)
        return None if given is None else _good(given, TOKEN_VARIABLE)
    text = read_bytes(Path(path).expanduser(), MOST, "parameter token_file:").decode(errors="replace").strip()
    return _good(text, f"parameter token_file: {path!r}")


def _good(text: str, source: str) -> str:
    if FORM.fullmatch(text) is None:
        raise ConfigError(
            f"{source}: not a token for the viewer: {len(text)} characters (a token has 16 to 200 of A-Z a-z 0-9 - _; "
            "`openssl rand -hex 16` makes one)"
        )
    return text
