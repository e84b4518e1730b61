# SPDX-License-Identifier: Apache-2.0
"""The list of problem codes is what the code uses and what the documentation explains."""

import ast
import re
from pathlib import Path

import pytest

import embodiment_bridge.bml as bml
from embodiment_bridge.bml.base.problems import CODES, Problems, short

NOTES = {"error", "warning", "tolerated", "add", "Problem"}


def codes_in_use():
    """The second argument of every call that notes a problem."""
    for path in Path(bml.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or len(node.args) < 3:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in NOTES and isinstance(node.args[1], ast.Constant):
                yield node.args[1].value


def test_codes_in_use_are_the_listed_ones():
    assert set(codes_in_use()) == set(CODES)


def test_every_code_is_documented_and_no_other():
    text = (Path(__file__).parents[2] / "docs" / "bml.md").read_text()
    assert set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", text, re.MULTILINE)) == set(CODES)


@pytest.mark.parametrize("strict", [False, True])
def test_tolerated_is_fatal_in_strict_mode_only(strict):
    problems = Problems(strict=strict)
    problems.warning("", "A", "doubtful")
    assert not problems.fatal
    problems.tolerated("", "B", "another form")
    assert problems.fatal == strict
    assert [p.fatal for p in problems.listing()] == [False, strict]


def test_problem_reads_as_one_line():
    problems = Problems()
    problems.error("/a/0", "CODE", "what is wrong")
    assert str(problems.listing()[0]) == "/a/0: CODE: what is wrong"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (-3, "-3"),
        (10**100, "a number of 101 characters"),
        ("a\nb", r"'a\nb'"),
        ("\ud800", r"'\ud800'"),
        ("x" * 61, "'" + "x" * 60 + "'..."),
        ([1], "an array"),
        ({"a": 1}, "an object"),
    ],
)
def test_short(value, text):
    assert short(value) == text
