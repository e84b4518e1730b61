# SPDX-License-Identifier: Apache-2.0
"""JSON pointers (RFC 6901): where in a document something is."""

from embodiment_bridge.core.unicode_text import is_unicode

LONGEST_TOKEN = 200  # characters of a key in a pointer; a key may be as long as the document


def escaped(token: str) -> str:
    """One step of a pointer as text: ``~`` is ``~0``, ``/`` is ``~1``."""
    return token.replace("~", "~0").replace("/", "~1")


def at(pointer: str, key: str) -> str:
    """The pointer of ``key`` in the object at ``pointer``; of the object when the key cannot be shown."""
    if len(key) > LONGEST_TOKEN or not is_unicode(key):
        return pointer
    return f"{pointer}/{escaped(key)}"
