# SPDX-License-Identifier: Apache-2.0
"""What agents say to each other: messages that were heard, and free text as a sentence that can be said.

The server escapes nothing (``talk command ) ( 1`` is heard as ``(0 here talk (command ) () 1)``), so what is heard is
read as well as it can be, and nothing makes a packet invalid.
"""

import re
from itertools import pairwise
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.maeden.events import Message, SayCommand, SayQuestion

DIRECTIONS: Final = ("forward", "back", "left", "right", "here")
VOLUMES: Final = ("talk", "shout")
FREE_TEXT: Final = "say"  # name of the command sentence that carries free text
LONGEST_TEXT: Final = 200  # characters of free text
MAX_MESSAGES: Final = 1000

_HEARD: Final = re.compile(r"\(\s*(\(.*\))?\s*\)", re.DOTALL)
_START: Final = re.compile(rf"\((\d{{1,18}}) ({'|'.join(DIRECTIONS)}) ")
_COMMAND: Final = re.compile(r"\((\d+) (\w+) (\S+) \((\S+) (\S+) (\S+)\) ([+-]?\d{1,18})\)")
_QUESTION: Final = re.compile(r"\((\d+) (\w+) (\S+) \((\S+) (\S+) (\S+)(?: (\S+))?\)\)")
_PAYMENT: Final = re.compile(r"[+-]?\d{1,9}")


def is_heard(text: str) -> bool:
    """Whether a line has the shape of the messages line: ``()``, or messages in parentheses."""
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
    """What was said, for people: free text as it was said, other sentences word by word, the unreadable as it came."""
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
