# SPDX-License-Identifier: Apache-2.0
"""Text to sentences that agents say, and what they said to text."""

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.maeden.command_writer import is_heard, read_heard, sentence_of, text_of
from embodiment_bridge.protocols.maeden.events import Message, SayCommand, SayQuestion

SENTENCES = [
    ("command lead + 1000", SayCommand("talk", "lead", "+", 1000)),
    ("shout command lead + 5", SayCommand("shout", "lead", "+", 5)),
    ("question where K", SayQuestion("talk", "where", "K")),
    ("talk question where K left", SayQuestion("talk", "where", "K", "left")),
    ("Hello there", SayCommand("talk", "say", "Hello_there", 0)),
    ("shout fire", SayCommand("shout", "say", "fire", 0)),
    ("command lead +", SayCommand("talk", "say", "command_lead_+", 0)),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES)
def test_text_becomes_a_sentence(text, sentence):
    assert sentence_of(text) == sentence


@pytest.mark.parametrize("text", ["", "  ", "a (b)", 'say "no"', "bell\x07", "x" * 300])
def test_what_cannot_be_said_is_refused(text):
    with pytest.raises(CommandError):
        sentence_of(text)


HEARD = [
    ("((0 here talk (command say Hello_there) 0))", "Hello there"),
    ("((0 here talk (command lead +) 1000))", "command lead + 1000"),
    ("((1 left shout (question where K left)))", "question where K left"),
    ("((0 here talk (command ) (", "(0 here talk (command ) ("),
    ("((3 back ))", "(3 back )"),
    ("(who knows)", "who knows"),
]


@pytest.mark.parametrize(("line", "text"), HEARD)
def test_what_was_said_is_told_to_people(line: str, text: str) -> None:
    (message,) = read_heard(line)
    assert text_of(message) == text


@pytest.mark.parametrize("line", ["()", "", "( ) "])
def test_nothing_was_heard(line: str) -> None:
    assert read_heard(line) == ()


def test_what_cannot_be_read_keeps_its_words() -> None:
    assert read_heard("((3 back talk hm))") == (
        Message("3", "back", "talk", "", (), None, "(3 back talk hm)"),
    )


@pytest.mark.parametrize(
    ("line", "whether"), [("()", True), ("((0 here))", True), ("(a)", False), ("", False)]
)
def test_line_of_messages_is_told_by_its_parentheses(line: str, *, whether: bool) -> None:
    assert is_heard(line) is whether
