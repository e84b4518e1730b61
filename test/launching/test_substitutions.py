# SPDX-License-Identifier: Apache-2.0
"""Substitutions of launch files, and the Python in them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.substitutions import (
    MAX_EXPRESSION,
    MAX_NESTING,
    MAX_TEXT,
    Sources,
    calculate,
    evaluate,
    parse,
)


def find_share(package):
    if package != "known":
        raise LookupError(package)
    return Path("/share/known")


SOURCES = Sources(
    variables={"x": "X", "empty": "", "name": "x", "blank": "a b", "call": "$(var x)", "seven": "7"},
    environment={"HOME": "/home/me", "EMPTY": ""},
    directory=Path("/launch"),
    find_share=find_share,
)

RESULTS = [
    ("", ""),
    ("plain text, with ) and ( and ' and \"", "plain text, with ) and ( and ' and \""),
    ("$(var x)", "X"),
    ("a$(var x)b$(var x)", "aXbX"),
    ("$(var blank)", "a b"),
    ("$(var call)", "$(var x)"),  # what comes out is not looked at again
    ("$(var none default)", "default"),
    ("$(var x default)", "X"),
    ("$(var $(var name))", "X"),
    ("$(var na$(var none m)e)", "x"),
    ("$(var none $(var x)_$(var x))", "X_X"),
    ("$(var none 'two words')", "two words"),
    ('$(var none "two words")', "two words"),
    ("$(var none '')", ""),
    ("$(var none '$(var x) and $(var none y)')", "X and y"),
    ('$(var none "it\'s")', "it's"),
    ("$(var none 'a (b)')", "a (b)"),
    (r"$(var none 'it\'s')", "it's"),
    (r"$(var none a\(b\))", "a(b)"),
    ("$(env HOME)", "/home/me"),
    ("$(env EMPTY default)", ""),
    ("$(env NOWHERE default)", "default"),
    ("$(env NOWHERE $(env HOME))", "/home/me"),
    ("$(find-pkg-share known)/config", "/share/known/config"),
    ("$(dirname)/other.xml", "/launch/other.xml"),
    ("$(eval '$(var seven) + 1')", "8"),
    ("$(eval $(var seven)+1)", "8"),
    ("$(eval '$(var seven) < 7')", "False"),
    ("$(string-join . https://$(var x) ros org)", "https://X.ros.org"),
    ("$(string-join ', ' $(var blank) b)", "a b, b"),
    ("$(path-join $(env HOME) $(var x) 'a b')", "/home/me/X/a b"),
    ("$(path-join $(env HOME) /etc)", "/etc"),
    ("$(equals a a)", "true"),
    ("$(equals a b)", "false"),
    ("$(equals TRUE 1)", "true"),
    ("$(equals true 0)", "false"),
    ("$(equals 1.0 1)", "true"),
    ("$(equals nan nan)", "false"),
    ("$(equals 2 two)", "false"),
    ("$(equals $(var x) X)", "true"),
    ("$(equals $(var empty) $(env EMPTY))", "true"),
    (r"\$(var x)", "$(var x)"),
    (r"\\$(var x)", r"\$(var x)"),
    (r"a\b\\c", r"ab\c"),
    ("trailing\\", "trailing\\"),
    ("5$ and $$(var x)", "5$ and $X"),
    ("$(var none $)", "$"),
    ("é$(var x)ü\n", "éXü\n"),
]


@pytest.mark.parametrize(("text", "result"), RESULTS)
def test_result(text, result):
    assert evaluate(parse(text), SOURCES) == result


ERRORS = [
    ("$(var x", "found the end"),
    ("$( var x)", "character 3"),
    ("$(var  x)", "character 7"),
    ("$(var x )", "character 9"),
    ("$(var\tx)", "character 6"),
    ("$()", "character 3"),
    ("$(1 x)", "character 3"),
    ("$(var none a'b')", "character 13"),
    ("$(var none 'a'b)", "character 15"),
    ("$(var none 'open)", "found the end"),
    (r"$(var none \$(var x))", "character 14"),
    ("$(var)", "$(var) takes 1 to 2 words, not 0"),
    ("$(var a b c)", "$(var) takes 1 to 2 words, not 3"),
    ("$(dirname x)", "$(dirname) takes 0 words, not 1"),
    ("$(equals a)", "$(equals) takes 2 words, not 1"),
    ("$(equals a '')", "cannot compare with ''"),
    ("$(eval 1 + 1)", "$(eval) takes 1 words, not 3"),
    ("$(eval '$(var x) + 1')", "not 'X'"),
    (
        "$(command ls)",
        "known: $(dirname), $(env), $(equals), $(eval), $(find-pkg-share), $(path-join), $(string-join), $(var)",
    ),
    ("$(var nmae)", "unknown variable 'nmae'; did you mean 'name'?"),
    ("$(env NOWHERE)", "environment variable 'NOWHERE' is not set"),
    ("$(find-pkg-share unknown)", "package 'unknown' is not installed"),
    ("$(var none " * (MAX_NESTING + 1) + "x" + ")" * (MAX_NESTING + 1), "nested deeper"),
    ("x" * (MAX_TEXT + 1), "longer than"),
]


@pytest.mark.parametrize(("text", "reason"), ERRORS)
def test_error(text, reason):
    with pytest.raises(ConfigError) as error:
        evaluate(parse(text), SOURCES)
    assert reason in str(error.value)
    assert len(str(error.value)) < 400


def test_nesting_up_to_the_limit():
    assert evaluate(parse("$(var none " * MAX_NESTING + "x" + ")" * MAX_NESTING), SOURCES) == "x"


def test_result_is_limited_in_length():
    sources = Sources({"x": "x" * (MAX_TEXT // 2)}, {}, Path("/"), find_share)
    assert len(evaluate(parse("$(var x)$(var x)"), sources)) == MAX_TEXT
    with pytest.raises(ConfigError, match="longer than"):
        evaluate(parse("$(var x)$(var x)."), sources)


@given(st.text(st.characters(exclude_characters="\\", codec="utf-8")))
def test_a_backslash_before_each_dollar_makes_text_plain(text):
    assert evaluate(parse(text.replace("$", "\\$")), SOURCES) == text


WORDS = st.text(alphabet="abcXYZ019_-./:=,", min_size=1)


@given(st.lists(st.tuples(WORDS, WORDS)))
def test_texts_and_variables_alternate(pairs):
    sources = Sources(dict(pairs), {}, Path("/"), find_share)
    text = "".join(f"{value}$(var {name})" for name, value in pairs)
    assert evaluate(parse(text), sources) == "".join(value + sources.variables[name] for name, value in pairs)


PIECES = st.sampled_from(
    [
        "$(var x)",
        "$(env HOME)",
        "$(dirname)",
        "$(var none ",
        "$(",
        "$",
        "(",
        ")",
        " ",
        "'",
        '"',
        "\\",
        "a",
        "é",
        "\n",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read_or_refused(text):
    try:
        result = evaluate(parse(text), SOURCES)
    except ConfigError:
        return
    if "$(" not in text and "\\" not in text:
        assert result == text


VALUES = [
    ("1 + 1", "2"),
    (" 10+1", "11"),
    ("7 // 2 * (3 - 1) % 4", "2"),
    ("-7 // 2", "-4"),
    ("-7 % 4", "1"),
    ("- -3", "3"),
    ("2 < 3", "True"),
    ("3 <= 2", "False"),
    ("11 == 11", "True"),
    ("11 != 11", "False"),
    ("2 > 1 + 1", "False"),
    ("2 >= 1 + 1", "True"),
    ("(1 < 2) + 1", "2"),  # as in Python, where truth values are numbers
]


@pytest.mark.parametrize(("text", "result"), VALUES)
def test_value_of_an_expression(text, result):
    assert calculate(text) == result


BAD_EXPRESSIONS = [
    ("", "cannot be read"),
    ("1 +", "cannot be read"),
    ("1\n2", "cannot be read"),
    ("07", "cannot be read"),
    ("1\0", "cannot be read"),
    ("(" * (MAX_EXPRESSION // 2) + ")" * (MAX_EXPRESSION // 2), "cannot be read"),
    ("1 // 0", "divides by zero"),
    ("1 % (2 - 2)", "divides by zero"),
    ("1 / 2", "not '1 / 2'"),
    ("2 ** 9", "not '2 ** 9'"),
    ("1 << 9", "not '1 << 9'"),
    ("1.5 + 1", "not '1.5'"),
    ("True", "not 'True'"),
    ("'a' == 'a'", "not \"'a'\""),
    ("pi", "not 'pi'"),
    ("1 < 2 < 3", "not '1 < 2 < 3'"),
    ("1 is 1", "not '1 is 1'"),
    ("not 1", "not 'not 1'"),
    ("1 and 1", "not '1 and 1'"),
    ("__import__('os').system('true')", "not \"__import__('os').system('true')\""),
    ("[1][0]", "not '[1][0]'"),
    ("1 if 1 else 2", "not '1 if 1 else 2'"),
    ("(x := 1)", "not '(x := 1)'"),
    ("1" * (MAX_EXPRESSION + 1), "more than 200 characters"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_EXPRESSIONS)
def test_bad_expression(text, reason):
    with pytest.raises(ConfigError) as error:
        calculate(text)
    assert reason in str(error.value)


NUMBERS = st.integers(0, 10**6).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.tuples(
        inner, st.sampled_from(["+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!="]), inner
    ).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_same_as_python(text):
    try:
        expected = str(eval(text, {"__builtins__": {}}))
    except ZeroDivisionError:
        with pytest.raises(ConfigError, match="divides by zero"):
            calculate(text)
        return
    assert calculate(text) == expected


@given(st.text(alphabet="0123456789+-*/%<>=!() \tax.'_,:[]", max_size=MAX_EXPRESSION))
def test_any_text_is_calculated_or_refused(text):
    try:
        result = calculate(text)
    except ConfigError:
        return
    assert result == str(eval(text, {"__builtins__": {}}))
