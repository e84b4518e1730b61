# SPDX-License-Identifier: Apache-2.0
"""Many numbers read at once are those that ``float`` reads one by one, to the last bit."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.protocols.soccer_monitor.number_rows import FEW, _side_by_side, read_numbers


def bits(values):
    return [struct.pack("<d", value) for value in values]


def by_float(text):
    return [float(word) for word in text.split(" ")]


PLAIN = [
    "0",
    "-0",
    "1",
    "-1",
    "0.707107",
    "-7.22184e-08",
    "0.000123456",
    "12345678",
    "123456789",
    "-000.5",
    "1.",
    ".5",
]
FAR = ["1e22", "1e23", "-1.5e-22", "1.23456e-30", "1e-400", "1e400", "123456789012345e8", "1e-00000000000005"]
ODD = ["nan", "-inf", "1E5", "+1", "1e+5", "1234567890123456789", "0." + "3" * 40, "\t1", "-nan", "infinity"]


@pytest.mark.parametrize("count", [1, FEW, 3 * FEW])
@pytest.mark.parametrize("words", [PLAIN, FAR, PLAIN + FAR, ODD, PLAIN + ODD])
def test_numbers(words, count):
    text = " ".join([*words] * count)
    assert bits(read_numbers(text)) == bits(by_float(text))


@pytest.mark.parametrize("word", PLAIN + FAR)
def test_usual_numbers_are_read_side_by_side(word):
    text = " ".join([word] * 3)
    assert bits(_side_by_side(text)) == bits(by_float(text))


@pytest.mark.parametrize(
    "word",
    [
        "",
        "-",
        ".",
        "-.",
        "e",
        "1e",
        "e1",
        "1e2e3",
        "1-",
        "--1",
        "1.2.3",
        "1e1.5",
        "1e-",
        "0x1",
        "1_0",
        "a",
        "1,5",
        "é",
    ],
)
@pytest.mark.parametrize("count", [0, 2 * FEW])
def test_what_is_no_number_is_refused_wherever_it_stands(word, count):
    for before, behind in ((0, count), (count, 0), (count, count)):
        assert read_numbers(" ".join([*["1.5"] * before, word, *["1"] * behind])) is None


@given(st.lists(st.floats(), min_size=1, max_size=60), st.sampled_from([".6g", ".17g", "g", ".3f", "r"]))
def test_any_numbers_are_those_of_float(values, form):
    text = " ".join(repr(value) if form == "r" else format(value, form) for value in values)
    assert bits(read_numbers(text)) == bits(by_float(text))
    found = _side_by_side(text)
    assert found is None or bits(found) == bits(by_float(text))


@given(st.text("0123456789.-e ", max_size=60))
def test_any_text_of_such_characters_is_read_alike_in_both_ways(text):
    found = _side_by_side(text)
    if found is not None:
        assert bits(found) == bits(by_float(text))
    try:
        expected = by_float(text)
    except ValueError:
        assert found is None
        assert read_numbers(text) is None
    else:
        assert bits(read_numbers(text)) == bits(expected)
