# SPDX-License-Identifier: Apache-2.0
"""``$(eval ...)``: what it gives is what Python gives, and nothing in it is ever run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.substitutions import MAX_EXPRESSION, calculate

RESULTS = [
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


@pytest.mark.parametrize(("text", "result"), RESULTS)
def test_result(text, result):
    assert calculate(text) == result


ERRORS = [
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


@pytest.mark.parametrize(("text", "reason"), ERRORS)
def test_error(text, reason):
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
