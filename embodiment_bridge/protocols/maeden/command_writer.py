# SPDX-License-Identifier: Apache-2.0
"""Commands as the server reads them: words on a line, or a JSON object on a line.

A server stalls at an empty line or at a sentence that lacks a word, and drops what other agents told it in that cycle;
so nothing but whole, checked commands is written.
"""

import json
import re
from collections.abc import Iterable
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.maeden.events import COMMANDS, Act, Join, SayCommand, SayQuestion
from embodiment_bridge.protocols.maeden.sentences import LONGEST_TEXT, VOLUMES

LETTERS: Final = {
    "forward": "f",
    "backward": "b",
    "left": "l",
    "right": "r",
    "grab": "g",
    "drop": "d",
    "use": "u",
    "wait": "w",
    "attack": "a",
    "kill": "k",
}
WITH_THING: Final = ("grab", "drop", "use")
THINGS: Final = ("K", "T", "G", "+", "$")  # others, such as =, would be torn out of the world
ROLES: Final = ("base", "helper")  # any other role ends a server of dialect T
MAX_PAYMENT: Final = 10**9
_WORD: Final = re.compile(r"[!-~\u00a1-\U0010ffff]+")


def words_of(command: object) -> list[str]:
    """The words of a command other than ``Join``.

    Raises:
        CommandError: it cannot be sent; the text names the field, its value and the choices.
    """
    match command:
        case Act():
            letter = LETTERS[_choice("Act.action", command.action, LETTERS)]
            return [letter, *_thing(command)]
        case SayCommand():
            return [
                _choice("SayCommand.volume", command.volume, VOLUMES),
                "command",
                _word("SayCommand.name", command.name),
                _word("SayCommand.subject", command.subject),
                _payment(command.payment),
            ]
        case SayQuestion():
            answer = [] if command.answer == "" else [_word("SayQuestion.answer", command.answer)]
            return [
                _choice("SayQuestion.volume", command.volume, VOLUMES),
                "question",
                _word("SayQuestion.kind", command.kind),
                _word("SayQuestion.subject", command.subject),
                *answer,
            ]
    raise CommandError(unknown("command", type(command).__name__, (kind.__name__ for kind in COMMANDS)))


def write_text(command: object) -> str:
    """A command as words; see ``words_of`` for errors."""
    if isinstance(command, Join):
        return _choice("Join.role", command.role, ROLES)
    return " ".join(words_of(command))


def write_json(command: object) -> str:
    """A command as an object; see ``words_of`` for errors."""
    if isinstance(command, Join):
        _choice("Join.role", command.role, ROLES)
        raise CommandError(
            "Join.role cannot be told: a server of the JSON dialects takes a role for a command"
        )
    first, *rest = words_of(command)
    return json.dumps({"command": first, "arguments": rest}, separators=(",", ":"))


def _choice(field: str, value: object, choices: Iterable[str]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    raise CommandError(f"{field}: " + unknown("value", str(value)[:80], choices))


def _thing(command: Act) -> list[str]:
    if command.thing == "":
        return []
    if command.action not in WITH_THING:
        raise CommandError(f"Act.thing is {command.thing!r:.80}; {command.action!r} takes none")
    return [_choice("Act.thing", command.thing, THINGS)]


def _word(field: str, value: object) -> str:
    """One word of a sentence: the server escapes nothing."""
    if (
        isinstance(value, str)
        and len(value) <= LONGEST_TEXT
        and _WORD.fullmatch(value)
        and not set(value) & set('()"')
        and value.isprintable()
    ):
        return value
    raise CommandError(
        f"{field} is {value!r:.80}; it must be 1 to {LONGEST_TEXT} printable characters without blanks, "
        "parentheses and quotes"
    )


def _payment(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_PAYMENT:
        return str(value)
    raise CommandError(f"SayCommand.payment is {value!r:.80}; it must be a whole number up to {MAX_PAYMENT}")
