# SPDX-License-Identifier: Apache-2.0
"""The values that a ROS 2 parameter file gives a node, read without ROS."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.safe_yaml import load

SECTION = "ros__parameters"


def read_parameters(path: str, parameters: Iterable[Parameter], node: str) -> dict[str, Any]:
    """The values of ``parameters`` as a node of that name has them; what the file does not name has its default.

    The keys of the file are names of nodes in any namespace, or have wildcards (``/**``); a later key wins.

    Raises:
        ConfigError: the file cannot be read, has another form, or a value is not of the parameter's type, range or
            choices.
    """
    try:
        content = load(read_text(Path(path)))
    except ConfigError as error:
        raise ConfigError(f"parameter file {path}: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(
            f"parameter file {path}: it has no names of nodes; the form is NODE: {{{SECTION}: ...}}"
        )
    given: dict[str, Any] = {}
    for key, section in content.items():
        if not isinstance(section, Mapping) or not isinstance(section.get(SECTION), Mapping):
            raise ConfigError(f"parameter file {path}: {key!r:.100} has no {SECTION}")
        if _matches(str(key), node):
            given.update(section[SECTION])
    return {one.name: _checked(one, given.get(one.name, one.default), path) for one in parameters}


def _matches(key: str, node: str) -> bool:
    """Whether a key of the file stands for a node of that name, in whatever namespace."""
    return key == "/**" or fnmatchcase(node, key.rpartition("/")[2])


def _checked(parameter: Parameter, value: object, path: str) -> object:
    where = f"parameter file {path}: parameter {parameter.name}"
    default = parameter.default
    if isinstance(default, list):
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ConfigError(f"{where} is a list of texts, not {value!r:.100}")
        return value
    if type(value) is not type(default):
        kinds = {bool: "true or false", int: "a whole number", float: "a number with a point", str: "a text"}
        raise ConfigError(f"{where} is {kinds[type(default)]}, not {value!r:.100}")
    if parameter.choices and value not in parameter.choices:
        raise ConfigError(f"parameter file {path}: {unknown(parameter.name, str(value), parameter.choices)}")
    lower, upper = parameter.lower, parameter.upper
    if lower is None or upper is None or not isinstance(value, (int, float)) or lower <= value <= upper:
        return value
    raise ConfigError(f"{where} is {value}, not within {lower:g} to {upper:g}")
