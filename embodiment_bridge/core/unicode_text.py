# SPDX-License-Identifier: Apache-2.0
"""Text that can be written. Escapes (backslash u of JSON) can make Python texts that no encoding has."""


def is_unicode(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8 (has no lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
