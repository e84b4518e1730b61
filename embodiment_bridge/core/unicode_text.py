# SPDX-License-Identifier: Apache-2.0
r"""Texts from outside: whether they can be encoded, and how they stand on one line of a terminal or log.

Escapes (``\u`` in JSON) can give Python texts that no encoding has.
"""

import re

_UNPRINTABLE = re.compile(
    r"[^\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


def is_unicode(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8 (has no lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str) -> str:
    """The text with each character that moves the cursor, breaks or turns a line, or is none, replaced."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)
