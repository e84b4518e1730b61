# SPDX-License-Identifier: Apache-2.0
"""Signatures of documents: HMAC-SHA256 (RFC 2104) of the bytes of a reply, with a key that both sides have."""

import hmac
from hashlib import sha256
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.fetching.rules import SIGNATURE_HEADER, FetchError

SCHEME: Final = "sha256="
SHORTEST_KEY: Final = 16  # bytes
LONGEST_KEY: Final = 4096


def read_key(path: str, where: str) -> bytes:
    """Read the key from a file, without a line end after it.

    Args:
        path: of the file.
        where: the parameter that names the file, for errors.

    Raises:
        ConfigError: the file cannot be read, or is too short or too long for a key.
    """
    key = read_bytes(Path(path), LONGEST_KEY + 2, f"{where}:").rstrip(b"\r\n")
    if not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
        raise ConfigError(f"{where}: {path}: a key has {SHORTEST_KEY} to {LONGEST_KEY} bytes, not {len(key)}")
    return key


def sign(body: bytes, key: bytes) -> str:
    """The value of the header for a body: ``sha256=`` and 64 hexadecimal digits."""
    return SCHEME + hmac.new(key, body, sha256).hexdigest()


def verify(body: bytes, signature: str, key: bytes) -> None:
    """Check a signature; the time that it takes does not depend on the signature.

    Raises:
        FetchError: the signature is missing, or is not that of this body with this key.
    """
    if not signature:
        text = f"the reply has no {SIGNATURE_HEADER}; documents must be signed here (parameter signature_key_file)"
        raise FetchError("UNSIGNED", text)
    if not hmac.compare_digest(signature.strip().encode(errors="replace"), sign(body, key).encode()):
        raise FetchError(
            "BAD_SIGNATURE", f"the {SIGNATURE_HEADER} of the reply is not that of its bytes with our key"
        )
