# SPDX-License-Identifier: Apache-2.0
"""Marks: when the words and phonemes of a spoken text begin, and how far the mouth is open over time."""

import json
import math
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.media.files.wav import BLOCK_S

FORMAT = 1
MAX_FILE = 4_000_000  # bytes
MAX_MARKS = 100_000

# The opening of the mouth by the first letters of a phoneme of espeak-ng; all other phonemes are consonants.
_OPENINGS = (
    ("_", 0.0), ("p", 0.0), ("b", 0.0), ("m", 0.0), ("(", 0.0), ("f", 0.1), ("v", 0.1),
    ("aI", 0.9), ("aU", 0.9), ("a", 1.0), ("A", 1.0), ("0", 0.9), ("V", 0.8), ("O", 0.8), ("E", 0.7), ("e", 0.6),
    ("3", 0.5), ("@", 0.5), ("o", 0.6), ("I", 0.4), ("i", 0.35), ("y", 0.3), ("U", 0.3), ("u", 0.25), ("w", 0.2),
)  # fmt: skip
_CONSONANT = 0.2


@dataclass(frozen=True, slots=True)
class Marks:
    """Holds the marks of one sound.

    ``words``: (s, number of the word in its text, from 0); ``phonemes``: (s, name); both in the order of time.

    ``levels``: loudness, 0 to 1 for each ``BLOCK_S``; it moves the mouth for speech without phonemes.
    """

    words: tuple[tuple[float, int], ...] = ()
    phonemes: tuple[tuple[float, str], ...] = ()
    levels: tuple[float, ...] = ()

    @property
    def has_mouth(self) -> bool:
        """Whether the opening of the mouth is known."""
        return bool(self.phonemes or self.levels)

    def words_begun(self, position: float) -> int:
        """Return the number of words of the text that have begun at ``position`` s."""
        place = bisect_right(self.words, (position, MAX_MARKS))
        return max((number for _, number in self.words[:place][-3:]), default=-1) + 1

    def phoneme(self, position: float) -> str:
        """Return the phoneme that is heard at ``position`` s; empty before the first and in pauses."""
        place = bisect_right(self.phonemes, position, key=lambda one: one[0])
        name = self.phonemes[place - 1][1] if place else ""
        return "" if name.startswith(("_", "(")) else name

    def mouth(self, position: float) -> float:
        """Return the opening of the mouth at ``position`` s, 0 to 1."""
        if self.levels and not self.phonemes:
            place = int(max(position, 0.0) / BLOCK_S)
            return self.levels[place] if place < len(self.levels) else 0.0
        name = self.phoneme(position)
        return opening(name) if name else 0.0


def opening(phoneme: str) -> float:
    """Return the opening of the mouth for a phoneme of espeak-ng, 0 to 1."""
    return next((value for start, value in _OPENINGS if phoneme.startswith(start)), _CONSONANT)


def to_text(marks: Marks) -> str:
    """Return the content of a file of marks, as ``marks_url`` of a BML player names one."""
    return json.dumps({"format": FORMAT, "words": marks.words, "phonemes": marks.phonemes})


def from_file(path: Path) -> Marks:
    """Read a file of marks.

    Raises:
        ConfigError: it is not a file of marks, or is too large.
    """
    try:
        return from_data(json.loads(read_bytes(path, MAX_FILE)))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"the marks cannot be read: {error}") from error


def from_data(data: object) -> Marks:
    """Marks from their JSON values.

    Raises:
        ConfigError: the values are not marks.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ConfigError(f"marks are an object with format {FORMAT}")
    words = tuple((_time(at), _number(word)) for at, word in _pairs(data, "words"))
    phonemes = tuple((_time(at), str(name)[:20]) for at, name in _pairs(data, "phonemes"))
    return Marks(tuple(sorted(words)), tuple(sorted(phonemes)))


def _pairs(data: dict[str, object], key: str) -> list[list[object]]:
    pairs = data.get(key, [])
    if not isinstance(pairs, list) or len(pairs) > MAX_MARKS:
        raise ConfigError(f"{key} of marks is a list of at most {MAX_MARKS}")
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ConfigError(f"{key} of marks must be a list of pairs")
    return pairs


def _time(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ConfigError(f"a mark is at 0 s or later, not at {value!r:.40}")
    return float(value)


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_MARKS:
        raise ConfigError(f"a word has a number from 0, not {value!r:.40}")
    return value
