# SPDX-License-Identifier: Apache-2.0
"""Texts inside of documents.

Arguments of subtrees (``${name}``) and the words of a spoken text, counted the same way everywhere.
"""

import re
from typing import NamedTuple

# An argument of a subtree in a document: a text that is exactly ``${name}``.
ARGUMENT = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,63})\}")


# A Chinese or Japanese character is a word of its own; elsewhere words are letters, digits and what joins them.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\w'’-])+"
)


class Word(NamedTuple):
    """Marks a word: ``text`` from the character ``start`` up to ``end``."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """Return all words in order."""
    return [Word(found.group(), found.start(), found.end()) for found in _WORD.finditer(text)]


def place_of(mark: str, text: str) -> int | None:
    """Return the index of the word that ``mark`` names: a number counts from 0, a text is the first such word."""
    words = words_of(text)
    if mark.isdecimal() and len(mark) < 6:
        return int(mark) if int(mark) < len(words) else None
    wanted = mark.casefold()
    return next((place for place, word in enumerate(words) if word.text.casefold() == wanted), None)


def place_at(words: list[Word], character: int) -> int | None:
    """Return the word that a character belongs to, or the next one after it."""
    return next((place for place, word in enumerate(words) if character < word.end), None)
