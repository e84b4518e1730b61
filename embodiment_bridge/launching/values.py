# SPDX-License-Identifier: Apache-2.0
"""Turns the text of an attribute into a parameter's value, a truth value or words, as launch does it.

Checked against launch 3.4.3 and launch_ros 0.26.6 (``type_utils.py``, ``evaluate_parameters.py``).
"""

import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.launching.launch_description import ParameterValue
from embodiment_bridge.launching.substitutions import Template, parse

Evaluate = Callable[[Template], str]
Scalar = bool | int | float | str
Value = Scalar | list[Scalar]

# Type of the value, or of the items of a list, and whether it is a list. None: the type that YAML gives.
TYPES: dict[str, tuple[type[Scalar] | None, bool]] = {
    "yaml": (None, False),
    "str": (str, False),
    "bool": (bool, False),
    "int": (int, False),
    "float": (float, False),
    "list_of_str": (str, True),
    "list_of_bool": (bool, True),
    "list_of_int": (int, True),
    "list_of_float": (float, True),
}
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def truth(text: str) -> bool:
    """Return the truth value of a condition: true, false, 1 or 0, in upper or lower case."""
    try:
        return _TRUTH[text.strip().lower()]
    except KeyError:
        raise ConfigError(f"{text!r} is not a truth value (known: true, 1, false, 0)") from None


def parameter_value(text: str, type_name: str, evaluate: Evaluate) -> ParameterValue:
    """Return the value of ``<param value="text" type="type_name">``.

    The text is read as YAML first and substitutions are done second: ``[1, $(var x)]`` is a list of two, and the
    result of a substitution is read as YAML again. So ``'5'`` in quotes is a string, ``$(var x)`` an integer if x is 5.

    Raises:
        ConfigError: not a value of the type, an empty or mixed list, a mapping, null or a date.
    """
    if type_name not in TYPES:
        raise ConfigError(unknown("parameter type", type_name, TYPES))
    wanted, is_list = TYPES[type_name]
    value = _list(text, wanted) if is_list else _scalar(text, wanted, may_be_text=True)
    if isinstance(value, list):
        items: list[Value] = [_filled(item, wanted, evaluate) for item in value]
        return cast("ParameterValue", _uniform(items))
    filled = _filled(value, wanted, evaluate)
    return cast("ParameterValue", _uniform(filled) if isinstance(filled, list) else filled)


def _uniform(items: Sequence[Value]) -> Sequence[Value]:
    """Return a list that ROS accepts: an empty one has no type, and rclpy 7.1.6 turns it into None."""
    types = {type(item) for item in items}
    if len(types) != 1 or list in types:
        raise ConfigError(f"list {items} is not one or more items of one type")
    return items


def set_parameter_value(text: str) -> ParameterValue:
    """Return the value of ``<set_parameter>``, which reaches a node as ``-p name:=value`` and is read as YAML there.

    Raises:
        ConfigError: a value that would arrive as something else (a list, an empty text, a text like ``'1'``).
    """
    value = _yaml(text, may_be_text=False)
    if isinstance(value, list) or value == "" or repr(_yaml(str(value), may_be_text=True)) != repr(value):
        raise ConfigError(f"value {text!r} would not reach the nodes as it is; use <param> in each node")
    return value


def command_words(template: Template, evaluate: Evaluate) -> tuple[str, ...]:
    """Return the words of a command line: text is split as a shell does it, the results of substitutions are not.

    Raises:
        ConfigError: a quote that is not closed before the next substitution.
    """
    words: list[str] = []
    current: list[str] = []
    for part in template or ("",):
        if not isinstance(part, str):
            current.append(evaluate((part,)))
            continue
        tokens = _shell_split(part)
        if current and tokens and part[0].isspace():
            words.append("".join(current))
            current = []
        for token in tokens[:-1]:
            words.append("".join([*current, token]))
            current = []
        current += tokens[-1:]
        if not tokens or part[-1].isspace():
            words.append("".join(current))
            current = []
    return (*words, "".join(current)) if current else tuple(words)


def _shell_split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        hint = "quotes cannot go around a substitution"
        raise ConfigError(f"{text!r} cannot be split into words: {error} ({hint})") from error


def _list(text: str, wanted: type[Scalar] | None) -> Value:
    value = _yaml(text, may_be_text=True)
    if not isinstance(value, list):
        raise ConfigError(f"{text!r} is not a list")
    for item in value:
        if type(item) not in (wanted, str):
            raise ConfigError(f"{item!r} in list {text!r} is not a valid {_name(wanted)}")
    return value


def _filled(value: Value, wanted: type[Scalar] | None, evaluate: Evaluate) -> Value:
    """Do the substitutions in a text; other values are returned as they are."""
    if not isinstance(value, str):
        return value
    template = parse(value)
    if len(template) == 1 and isinstance(template[0], str):
        if wanted not in (None, str):
            raise ConfigError(f"{value!r} is not a valid {_name(wanted)}")
        return template[0]
    return _scalar(evaluate(template), wanted, may_be_text=False)


def _scalar(text: str, wanted: type[Scalar] | None, *, may_be_text: bool) -> Value:
    """Read a text as the type; with ``may_be_text`` another text is kept, because substitutions are done later."""
    if wanted is None:
        return _yaml(text, may_be_text=may_be_text)
    value: Value = text
    if wanted is bool:
        value = _yaml({"1": "true", "0": "false"}.get(text, text), may_be_text=may_be_text)
    elif wanted is not str:
        with suppress(ValueError):
            value = wanted(text)
    if type(value) is wanted or (may_be_text and isinstance(value, str)):
        return value
    raise ConfigError(f"{text!r} is not a valid {_name(wanted)}")


def _yaml(text: str, *, may_be_text: bool) -> Value:
    if not text:
        return text
    try:
        value = safe_yaml.load(text, base_60=True)
    except ConfigError as error:
        if may_be_text:
            return text
        raise ConfigError(f"{text[:200]!r} is not YAML: {error}") from error
    items = value if isinstance(value, list) else [value]
    if not all(type(item) in (bool, int, float, str) for item in items):
        raise ConfigError(
            f"{text!r} is not a parameter value (a bool, int, float, str, or list of one of them)"
        )
    return cast("Value", value)


def _name(wanted: type[Scalar] | None) -> str:
    return wanted.__name__ if wanted else "YAML value"
