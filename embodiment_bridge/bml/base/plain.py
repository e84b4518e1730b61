# SPDX-License-Identifier: Apache-2.0
"""Texts of documents on terminals and in logs: one line, and nothing that works a terminal."""

import re

_UNPRINTABLE = re.compile(
    r"[^\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


def one_line(text: str) -> str:
    """The text with each character that moves the cursor, breaks or turns a line, or is none, replaced."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)
