# SPDX-License-Identifier: Apache-2.0
"""The errors that this package raises.

    BridgeError
    ├── ConfigError    a file, parameter or argument that cannot be used
    ├── CommandError   a command that the peer or the body cannot take
    └── LinkError      a link that could not be opened or was lost
        └── LinkOverError   a link that ended and is not to be opened again

Each also is the built-in error that it resembles. Bad input from a peer raises nothing: a codec reports it
as a ``Malformed`` event (see ``wire/events.py``).
"""

from collections.abc import Iterable
from difflib import get_close_matches


class BridgeError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(BridgeError, ValueError):
    """A file, parameter or argument cannot be used; the text names it, its value and the choices."""


class CommandError(BridgeError, ValueError):
    """A command cannot be carried out or put on the wire; nothing was sent."""


class LinkError(BridgeError, ConnectionError):
    """A link could not be opened or was lost; the text names the peer."""


class LinkOverError(LinkError):
    """A conversation came to its end: a new link would begin another one, so none is opened until that is asked for."""


def text_of(error: Exception) -> str:
    """An error as text: our own errors speak for themselves, others need their type."""
    return str(error) if isinstance(error, BridgeError) else f"{type(error).__name__}: {error}"


def unknown(kind: str, value: str, choices: Iterable[str]) -> str:
    """Say that ``value`` is no ``kind`` we know, with the nearest choice, or all of them when few."""
    names = sorted(choices)
    near = get_close_matches(value, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    shown = ", ".join(names[:30]) + (f", ... ({len(names)} in all)" if len(names) > 30 else "")
    return f"unknown {kind} {value!r}{hint} (known: {shown or 'none'})"
