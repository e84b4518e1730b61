# SPDX-License-Identifier: Apache-2.0
r"""Checks that a text can be encoded. Escapes (``\u`` in JSON) can give Python texts that no encoding has."""


def is_unicode(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8 (has no lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
