# SPDX-License-Identifier: Apache-2.0
"""Inputs that are nearly right: pieces of good ones cut, repeated, swapped and replaced, the same for the same seed."""

import re
from collections.abc import Sequence
from random import Random

NUMBER = re.compile(rb"(?<!\d)-?\d+(\.\d+)?")
WORD = re.compile(rb"\b[A-Za-z_][A-Za-z_0-9]*")
NUMBERS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e308",
    b"-1e309",
    b"0",
    b"-0",
    b"-1",
    b"99999999999999999999",
    b"1e-320",
    b"\xd9\xa3",
)
PIECES = (
    *(bytes([one]) for one in b"\0(){}[]<>&*\"'\\\n\r:"),
    *(
        b"",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"</",
        b"/>",
        b"- ",
        b"$(",
        b"&#x0;",
        b"<!--",
        b"]]>",
        b"<!DOCTYPE a>",
    ),
    *(b"null", b"true", b"!!python/object:os.system x"),
)
LONGEST = 30_000  # bytes


def mutated(seeds: Sequence[bytes], random: Random) -> bytes:
    """A seed with one to six changes; the shorter a seed, the more often, as a long one takes long to read."""
    (data,) = random.choices(seeds, [1.0 / (100 + len(seed)) for seed in seeds])
    for _ in range(random.randint(1, 6)):
        data = random.choice(CHANGES)(data, seeds, random)[:LONGEST]
    return data


def span(data: bytes, random: Random, longest: int = 64) -> tuple[int, int]:
    begin = random.randint(0, len(data))
    return begin, min(len(data), begin + random.randint(0, longest))


def flip(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    place = random.randint(0, max(len(data) - 1, 0))
    return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]


def cut(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    begin, end = span(data, random)
    return data[:begin] + data[end:]


def end_early(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def insert(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    place = random.randint(0, len(data))
    return data[:place] + random.choice(PIECES) * random.choice((1, 1, 1, 40)) + data[place:]


def repeat(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    begin, end = span(data, random, 400)
    return data[:end] + data[begin:end] * random.choice((1, 2, 20)) + data[end:]


def splice(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(seeds)
    begin, end = span(other, random, 400)
    place, until = span(data, random)
    return data[:place] + other[begin:end] + data[until:]


def other_number(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    return replaced(data, some(NUMBER, data, random), random.choice(NUMBERS))


def other_word(data: bytes, seeds: Sequence[bytes], random: Random) -> bytes:
    word = some(WORD, random.choice(seeds), random)
    return replaced(data, some(WORD, data, random), word[0]) if word else data


def some(pattern: re.Pattern[bytes], data: bytes, random: Random) -> re.Match[bytes] | None:
    """The first one after a random place, or of all."""
    return pattern.search(data, random.randint(0, len(data))) or pattern.search(data)


def replaced(data: bytes, found: re.Match[bytes] | None, by: bytes) -> bytes:
    return data[: found.start()] + by + data[found.end() :] if found else data


CHANGES = (flip, cut, end_early, insert, repeat, splice, other_number, other_number, other_word, other_word)
