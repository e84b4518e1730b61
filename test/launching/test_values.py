# SPDX-License-Identifier: Apache-2.0
"""Parameter values, truth values and command lines, as launch 3.4.3 and launch_ros 0.26.6 read them."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.substitutions import parse
from embodiment_bridge.launching.values import (
    TYPES,
    command_words,
    parameter_value,
    set_parameter_value,
    truth,
)

VARIABLES = {
    "i": "5",
    "f": "2.5",
    "b": "true",
    "t": "text",
    "list": "[1, 2]",
    "nothing": "[]",
    "mixed": "[1, a]",
    "quoted": "'7'",
    "empty": "",
    "null": "null",
    "colon": "a: b",
    "bad": "[1, 2",
    "blank": "two words",
}


def fill(template):
    """Evaluate a template that has only $(var NAME) in it."""
    return "".join(part if isinstance(part, str) else VARIABLES[part.words[0][0]] for part in template)


VALUES = [
    # text, type, value
    ("1", "yaml", 1),
    ("1.0", "yaml", 1.0),
    ("1e5", "yaml", "1e5"),
    ("010", "yaml", 8),
    ("true", "yaml", True),
    ("off", "yaml", False),
    ("text", "yaml", "text"),
    ("a: b: c", "yaml", "a: b: c"),
    ("'1'", "yaml", "1"),
    ("", "yaml", ""),
    ("''", "yaml", ""),
    ("a # b", "yaml", "a"),
    (r"a\b", "yaml", "ab"),
    ("[1, 2]", "yaml", [1, 2]),
    ("[a, '1']", "yaml", ["a", "1"]),
    ("$(var i)", "yaml", 5),
    ("$(var i)$(var i)", "yaml", 55),
    ("n$(var i)", "yaml", "n5"),
    ("$(var quoted)", "yaml", "7"),
    ("$(var list)", "yaml", [1, 2]),
    ("$(var empty)", "yaml", ""),
    ("[1, $(var i)]", "yaml", [1, 5]),
    ("[$(var t), x]", "yaml", ["text", "x"]),
    ("1", "str", "1"),
    ("$(var i)", "str", "5"),
    ("$(var colon)", "str", "a: b"),
    ("12", "int", 12),
    ("$(var i)", "int", 5),
    ("12", "float", 12.0),
    ("$(var i)", "float", 5.0),
    ("1", "bool", True),
    ("0", "bool", False),
    ("no", "bool", False),
    ("$(var b)", "bool", True),
    ("[a, $(var i)]", "list_of_str", ["a", "5"]),
    ("[1, $(var i)]", "list_of_int", [1, 5]),
    ("[1.5, $(var i)]", "list_of_float", [1.5, 5.0]),
    ("[no, $(var b)]", "list_of_bool", [False, True]),
]


@pytest.mark.parametrize(("text", "type_name", "value"), VALUES)
def test_value(text, type_name, value):
    result = parameter_value(text, type_name, fill)
    assert repr(result) == repr(value)  # 1, 1.0 and True are different here


BAD_VALUES = [
    ("null", "yaml", "not a parameter value"),
    ("{a: 1}", "yaml", "not a parameter value"),
    ("2001-01-01", "yaml", "not a parameter value"),
    ("[[1]]", "yaml", "not a parameter value"),
    ("[1, null]", "yaml", "not a parameter value"),
    ("[1, 2.0]", "yaml", "items of one type"),
    ("[1, a]", "yaml", "items of one type"),
    ("[1, true]", "yaml", "items of one type"),
    ("[a, $(var i)]", "yaml", "items of one type"),
    ("[$(var list)]", "yaml", "items of one type"),
    ("$(var null)", "yaml", "not a parameter value"),
    ("$(var colon)", "yaml", "not a parameter value"),
    ("$(var bad)", "yaml", "is not YAML"),
    ("a", "int", "'a' is not a valid int"),
    ("1.5", "int", "'1.5' is not a valid int"),
    ("$(var f)", "int", "'2.5' is not a valid int"),
    ("$(var t)", "float", "'text' is not a valid float"),
    ("2", "bool", "'2' is not a valid bool"),
    ("$(var t)", "bool", "'text' is not a valid bool"),
    ("$(var list)", "list_of_int", "is not a list"),
    ("[1, 2]", "list_of_float", "1 in list '[1, 2]' is not a valid float"),
    ("[1]", "list_of_str", "1 in list '[1]' is not a valid str"),
    ("[]", "yaml", "items of one type"),
    ("[]", "list_of_str", "items of one type"),
    ("[]", "list_of_int", "items of one type"),
    ("$(var nothing)", "yaml", "items of one type"),
    ("$(var mixed)", "yaml", "items of one type"),
    ("[1, a]", "list_of_int", "'a' is not a valid int"),
    ("[1, $(var t)]", "list_of_int", "'text' is not a valid int"),
    ("1", "integer", "unknown parameter type 'integer'; did you mean 'int'?"),
    ("$(vra i)", "yaml", "unknown substitution"),
]


@pytest.mark.parametrize(("text", "type_name", "reason"), BAD_VALUES)
def test_bad_value(text, type_name, reason):
    with pytest.raises(ConfigError) as error:
        parameter_value(text, type_name, fill)
    assert reason in str(error.value)


SCALARS = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text())
LISTS = st.one_of(
    *(st.lists(kind, min_size=1) for kind in (st.booleans(), st.integers(), st.floats(), st.text()))
)


@given(st.one_of(SCALARS, LISTS))
def test_yaml_of_a_value_gives_the_value(value):
    text = yaml.safe_dump(value, default_flow_style=True, width=1_000_000).removesuffix("\n...\n")
    if "\\" in text or "$(" in text or len(text) > 8000:
        return  # escapes and substitutions have rules of their own
    assert repr(parameter_value(text, "yaml", fill)) == repr(value)


ODD = st.sampled_from(
    [
        "[",
        "]",
        "{",
        "}",
        ",",
        ": ",
        "- ",
        "'",
        '"',
        "!!int ",
        "!!bool ",
        "!!timestamp ",
        "&a ",
        "*a",
        "|",
        "~",
        "1",
        "a",
    ]
)


@given(st.lists(ODD, max_size=12).map("".join), st.sampled_from(sorted(TYPES)))
def test_any_text_is_a_value_or_refused(text, type_name):
    try:
        value = parameter_value(text, type_name, fill)
    except ConfigError:
        return
    items = value if isinstance(value, list) else [value]
    assert {type(item) for item in items} <= {bool, int, float, str}


@pytest.mark.parametrize("text", ["[" * 4000, "- " * 4000, "!!int ''", "9" * 5000])
def test_text_that_yaml_stumbles_over(text):
    with pytest.raises(ConfigError):
        parameter_value("$(var long)", "yaml", lambda _template: text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("1.5", 1.5), ("true", True), ("no", False), ("text", "text"), ("a b", "a b")],
)
def test_set_parameter_value(text, value):
    assert repr(set_parameter_value(text)) == repr(value)


@pytest.mark.parametrize("text", ["", "''", "'1'", "'true'", "[1, 2]", ".nan", "null", "'a: b'"])
def test_set_parameter_value_that_would_not_arrive(text):
    with pytest.raises(ConfigError):
        set_parameter_value(text)


@pytest.mark.parametrize("text", ["true", "True", " 1 ", "TRUE"])
def test_true(text):
    assert truth(text) is True


@pytest.mark.parametrize("text", ["false", "False", " 0 "])
def test_false(text):
    assert truth(text) is False


@pytest.mark.parametrize("text", ["", "yes", "2", "tru", "[]"])
def test_no_truth(text):
    with pytest.raises(ConfigError, match="known: true, 1, false, 0"):
        truth(text)


WORDS = [
    ("prog", ("prog",)),
    ("prog a  b", ("prog", "a", "b")),
    ("prog 'a b' \"c d\" ''", ("prog", "a b", "c d", "")),
    ("prog $(var blank) c", ("prog", "two words", "c")),
    ("$(var t)-x $(var i)$(var i)/y z", ("text-x", "55/y", "z")),
    ("--n=$(var i)", ("--n=5",)),
    ("a $(var empty) b", ("a", "", "b")),
    (r"a\ b", ("a", "b")),  # launch takes the backslash away before words are split
    ("", ("",)),
    (" $(var i) ", ("", "5")),
]


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_command_words(text, words):
    assert command_words(parse(text), fill) == words


@pytest.mark.parametrize("text", ["'open", 'name="$(var i)"', "it's"])
def test_command_with_open_quote(text):
    with pytest.raises(ConfigError, match="cannot be split into words"):
        command_words(parse(text), fill)
