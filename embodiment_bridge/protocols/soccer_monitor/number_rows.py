# SPDX-License-Identifier: Apache-2.0
"""Reads thousands of decimal numbers at once: ``0.7 -1.18e-07 1``, as rcssserver3d and rcssservermj write matrices.

A full game has 8000 numbers in each message, and ``float`` one by one takes more than half of the time of reading it.
Here all words are read side by side, eight digits of each as one 64-bit integer. From 500 numbers on that is faster, of
8000 in 40 % of the time; the values are the same to the last bit.
"""

from array import array
from typing import Any, Final

import numpy as np

Array = Any

FEW: Final = 500  # numbers that are read one by one
MOST_DIGITS: Final = 15  # of a word, so that all of it is exact in a float64
EXACT_POWER: Final = 22  # the largest power of ten that is exact in a float64
_POWERS: Final = 10.0 ** np.arange(EXACT_POWER + 1)
_BLANK, _EXPONENT, _POINT, _MINUS = b" e.-"
_DIGIT_VALUES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_PAD: Final = 16  # bytes before the first word, for those that read behind it
# How far eight bytes, of which the last n are digits, are shifted to lose the others
_SHIFTS: Final = np.array([0, *(64 - 8 * n for n in range(1, 9))], dtype=np.uint64)

# glibc gives the end of its heap back to the system as soon as 128 kB of it are free, and asks for it again with the
# next message, which takes as long as reading the numbers. Once a large block has been freed it keeps up to twice that.
np.empty(1 << 19)


def read_numbers(text: str) -> "array[float] | None":
    """The numbers in ``text``, with single blanks between them; None where it is not of that form.

    Whatever ``float`` takes is read, but digits with underscores.
    """
    if text.count(" ") >= FEW:
        values = _side_by_side(text)
        if values is not None:
            return array("d", values.tobytes())
    words = text.split(" ")
    try:
        return None if "_" in text else array("d", map(float, words))
    except ValueError:
        return None


def _side_by_side(text: str) -> Array:
    """float64 of words such as ``-1.25e-07``; None where there are others."""
    data = text.encode("ascii", "replace") + b" "
    if data.translate(None, b"0123456789.- e"):
        return None
    # A mantissa is a word, and an exponent is the next one.
    characters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((characters == _BLANK) | (characters == _EXPONENT))
    exponent_follows = np.flatnonzero(characters[ends] == _EXPONENT)
    points = np.flatnonzero(characters == _POINT)
    with_point = np.searchsorted(ends, points)
    begins = np.concatenate(([0], ends[:-1] + 1))
    with_minus = np.flatnonzero(characters[begins] == _MINUS)
    digits = ends - begins
    digits[with_point] -= 1
    digits[with_minus] -= 1
    is_exponent = np.zeros(len(ends), dtype=bool)
    is_exponent[exponent_follows + 1] = True
    good = (
        digits.min() >= 1
        and digits.max() <= MOST_DIGITS
        and len(with_minus) == data.count(b"-")
        and (np.diff(with_point) > 0).all()
        and (np.diff(exponent_follows) > 1).all()
        and not is_exponent[with_point].any()
    )
    if not good:
        return None
    values = _integers(data, digits)
    values[with_minus] *= -1.0
    powers = np.zeros(len(ends), dtype=np.int64)
    powers[with_point] = points + 1 - ends[with_point]
    powers[exponent_follows] += values[is_exponent].astype(np.int64)
    return _scaled(values[~is_exponent], powers[~is_exponent], text)


def _integers(data: bytes, digits: Array) -> Array:
    """float64 of all words without signs and points; ``digits``: how many each has, 1 to 15."""
    plain = b"0" * _PAD + data.translate(None, b".-")
    ends = _PAD - 1 + np.cumsum(digits + 1)
    eights = np.ndarray(len(plain) - 7, dtype="<u8", buffer=plain, strides=(1,))
    values = _eight_digits(eights[ends - 8], np.minimum(digits, 8)).astype(np.float64)
    long = np.flatnonzero(digits > 8)
    values[long] += 1e8 * _eight_digits(eights[ends[long] - 16], digits[long] - 8)
    return values


def _eight_digits(characters: Array, count: Array) -> Array:
    """The integers whose last ``count`` digits are these; the first digit is in the lowest byte.

    Neighbours are added up to numbers of two digits, these to numbers of four, and these to one of eight.
    """
    shift = _SHIFTS[count]
    values = ((characters & _DIGIT_VALUES) >> shift) << shift
    values = (values * 10 + (values >> 8)) & 0x00FF00FF00FF00FF
    values = (values * 100 + (values >> 16)) & 0x0000FFFF0000FFFF
    return (values * 10000 + (values >> 32)) & 0xFFFFFFFF


def _scaled(values: Array, powers: Array, text: str) -> Array:
    """The ``values`` times ten to ``powers``, rounded once as by ``float``, which reads what would be rounded twice."""
    far = np.flatnonzero(abs(powers) > EXACT_POWER)
    powers[far] = 0
    scaled = values / _POWERS[np.maximum(-powers, 0)]
    up = np.flatnonzero(powers > 0)
    scaled[up] = values[up] * _POWERS[powers[up]]
    if len(far):
        words = text.split(" ")
        scaled[far] = [float(words[index]) for index in far]
    return scaled
