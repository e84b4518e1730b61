# SPDX-License-Identifier: Apache-2.0
"""The errors that this package raises.

    BridgeError
    ├── ConfigError    a file, parameter or argument that cannot be used
    ├── CommandError   a command that the peer or the body cannot carry out
    └── LinkError      a link that could not be opened or was lost
        └── LinkOverError   a link that ended and must not be opened again

Each also inherits the built-in error that it resembles. Bad input from a peer raises nothing: a codec reports it
as a ``Malformed`` event (see ``wire/codec.py``).
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr

_QUOTES = Repr()
_QUOTES.maxstring = _QUOTES.maxlong = _QUOTES.maxother = 60


class BridgeError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(BridgeError, ValueError):
    """A file, parameter or argument cannot be used; the text names it, its value and the choices."""


class CommandError(BridgeError, ValueError):
    """A command cannot be carried out or put on the wire; nothing was sent."""


class LinkError(BridgeError, ConnectionError):
    """A link could not be opened or was lost; the text names the peer."""


class LinkOverError(LinkError):
    """The conversation with the peer has ended. A new link would begin another one, so it is opened on request only."""


def text_of(error: Exception) -> str:
    """An error as text: our own errors speak for themselves, others need their type."""
    return str(error) if isinstance(error, BridgeError) else f"{type(error).__name__}: {error}"


def quoted(value: object) -> str:
    """``value`` for a message, as Python writes it; of a long one only beginning and end."""
    try:
        return _QUOTES.repr(value)
    except ValueError:
        return "a huge number"  # has more digits than Python writes


def unknown(kind: str, value: str, choices: Iterable[str]) -> str:
    """The text of an error: ``value`` is not a known ``kind``; with the nearest choice and up to 30 of the choices."""
    names = sorted(choices)
    words = _words_of(value)  # SHAKE_HEAD is HEAD_SHAKE rather than what has the nearest letters
    near = [name for name in names if _words_of(name) == words] or get_close_matches(value, names, n=1)
    hint = f"; did you mean {quoted(near[0])}?" if near else ""
    shown = ", ".join(map(_word, names[:30])) + (f", ... ({len(names)} in all)" if len(names) > 30 else "")
    return f"unknown {kind} {value!r}{hint} (known: {shown or 'none'})"


def _words_of(name: str) -> list[str]:
    return sorted(re.split(r"[\W_]+", name.lower()))


def _word(name: str) -> str:
    """A name as it is, or quoted and cut where it is more than a word: things of the world may be called anything."""
    return name if name.isprintable() and " " not in name and len(name) <= _QUOTES.maxstring else quoted(name)
