# SPDX-License-Identifier: Apache-2.0
"""Writes commands and sentences of an agent as the server reads them, and reads the sentences that are heard.

A server stalls at an empty line or at a sentence that lacks a word, and drops what other agents told it in that cycle;
so nothing but whole, checked commands is written.
"""

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.maeden.events import COMMANDS, Act, Join, Message, SayCommand, SayQuestion

# What agents say to each other: messages that were heard, and free text as a sentence that can be said.
#
# The server escapes nothing (``talk command ) ( 1`` is heard as ``(0 here talk (command ) () 1)``), so what is heard is
# read as well as it can be, and nothing makes a packet invalid.

DIRECTIONS: Final = ("forward", "back", "left", "right", "here")
VOLUMES: Final = ("talk", "shout")
FREE_TEXT: Final = "say"  # name of the command sentence that carries free text
LONGEST_TEXT: Final = 200  # characters of free text
MAX_MESSAGES: Final = 1000

_HEARD: Final = re.compile(r"\((?:\s*\(.*\)\s*|[^()\"\[\]]*)\)", re.DOTALL)
_START: Final = re.compile(rf"\((\d{{1,18}}) ({'|'.join(DIRECTIONS)}) ")
_COMMAND: Final = re.compile(r"\((\d+) (\w+) (\S+) \((\S+) (\S+) (\S+)\) ([+-]?\d{1,18})\)")
_QUESTION: Final = re.compile(r"\((\d+) (\w+) (\S+) \((\S+) (\S+) (\S+)(?: (\S+))?\)\)")
_PAYMENT: Final = re.compile(r"[+-]?\d{1,9}")


def is_heard(text: str) -> bool:
    """Whether a line has the shape of the messages line: ``()``, messages in parentheses, or words."""
    return _HEARD.fullmatch(text) is not None


def read_heard(text: str) -> tuple[Message, ...]:
    """The messages of a line; they follow each other without a blank."""
    starts = [found.start() for found in _START.finditer(text)][:MAX_MESSAGES]
    end = text.rstrip().removesuffix(")")
    if not starts:
        rest = end.removeprefix("(").strip()
        return (Message("", "", "", "", (), None, rest),) if rest else ()
    pieces = [end[a:b].strip() for a, b in pairwise([*starts, len(end)])]
    return tuple(_read_message(piece) for piece in pieces)


def _read_message(raw: str) -> Message:
    if found := _COMMAND.fullmatch(raw):
        sender, direction, volume, category, name, subject, payment = found.groups()
        return Message(sender, direction, volume, category, (name, subject), int(payment), raw)
    if found := _QUESTION.fullmatch(raw):
        sender, direction, volume, category, kind, subject, answer = found.groups()
        words = (kind, subject) if answer is None else (kind, subject, answer)
        return Message(sender, direction, volume, category, words, None, raw)
    start = raw.removeprefix("(").split(" ", 3)
    return Message(start[0], start[1], start[2] if len(start) > 2 else "", "", (), None, raw)


def text_of(message: Message) -> str:
    """A message for people: free text as it was said, other sentences word by word, the unreadable as it came."""
    if not message.words:
        return message.raw
    if message.words[0] == FREE_TEXT and message.payment is not None:
        return message.words[1].replace("_", " ")
    payment = [] if message.payment is None else [str(message.payment)]
    return " ".join((message.category, *message.words, *payment))


def sentence_of(text: str) -> SayCommand | SayQuestion:
    """The sentence for a text to be said.

    ``[talk|shout] command NAME SUBJECT PAYMENT`` and ``[talk|shout] question KIND SUBJECT [ANSWER]`` are said as they
    are. Any other text becomes the subject of ``command say``, with ``_`` for blanks, for a payment of 0.

    Raises:
        CommandError: there is nothing to say, it is too long, or the protocol cannot carry a character of it.
    """
    words = text.split()
    if not words:
        raise CommandError("text is empty: there is nothing to say")
    volume = words.pop(0).lower() if words[0].lower() in VOLUMES and len(words) > 1 else VOLUMES[0]
    match words:
        case ["command", name, subject, payment] if _PAYMENT.fullmatch(payment):
            return SayCommand(volume, name, subject, int(payment))
        case ["question", kind, subject]:
            return SayQuestion(volume, kind, subject)
        case ["question", kind, subject, answer]:
            return SayQuestion(volume, kind, subject, answer)
    subject = "_".join(words)
    if len(subject) > LONGEST_TEXT:
        raise CommandError(f"text of {len(subject)} characters is longer than {LONGEST_TEXT}")
    bad = sorted({c for c in subject if c in '()"' or not c.isprintable()})
    if bad:
        raise CommandError(f"text has {bad[0]!r}: parentheses, quotes and control characters cannot be said")
    return SayCommand(volume, FREE_TEXT, subject, 0)


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
