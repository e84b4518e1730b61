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


class NotUtf8Error(ValueError):
    """Bytes are no text in UTF-8; the text says at which byte, and what they look like."""

    def __init__(self, data: bytes, place: int) -> None:
        super().__init__(f"not UTF-8, at byte {place} (looks like {_encoding_of(data)})")


def decoded(data: bytes) -> str:
    """Return the text of bytes in UTF-8.

    Raises:
        NotUtf8Error: they are none; a zero byte at the beginning is a half of a character of UTF-16.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise NotUtf8Error(data, error.start) from error
    if "\0" in text[:2]:
        raise NotUtf8Error(data, text.index("\0"))
    return text


_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_COMMON = re.compile(rb"[\xb0-\xd7][\xa1-\xfe]")  # the 3755 usual characters of GBK
_LONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")


def _encoding_of(data: bytes) -> str:
    """Return the likeliest encoding: one byte among ASCII is a letter of Latin-1, pairs of them are GBK."""
    if data.startswith(_UTF16_MARKS) or 0 in data[:2]:
        return "UTF-16"
    if any(byte < 32 and byte not in b"\t\n\r\f" for byte in data[:1000]):
        return "no text"
    return (
        "GBK" if len(_COMMON.findall(data)) > len(_LONE.findall(data)) and _is(data, "gb18030") else "Latin-1"
    )


def _is(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def one_line(text: str) -> str:
    """The text with each character that moves the cursor, breaks or turns a line, or is none, replaced."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)
