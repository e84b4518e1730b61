# SPDX-License-Identifier: Apache-2.0
"""Declares and reads the parameters of a node, and types the options that every node passes to rclpy."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, TypedDict

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.context import Context
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import Parameter as RosParameter


class NodeOptions(TypedDict, total=False):
    """Options of ``rclpy.node.Node``, by the same names, and with the same defaults where one is left out."""

    context: Context
    namespace: str | None
    cli_args: list[str]
    use_global_arguments: bool
    enable_rosout: bool
    start_parameter_services: bool
    parameter_overrides: list[Parameter]


def descriptor(parameter: RosParameter) -> ParameterDescriptor:
    """Return the ROS descriptor of a parameter."""
    about = parameter.description
    if parameter.choices:
        about += f" One of: {', '.join(parameter.choices)}."
    result = ParameterDescriptor(name=parameter.name, description=about)
    if parameter.lower is not None and parameter.upper is not None:
        if isinstance(parameter.default, int):
            result.integer_range = [
                IntegerRange(from_value=int(parameter.lower), to_value=int(parameter.upper))
            ]
        else:
            result.floating_point_range = [
                FloatingPointRange(from_value=float(parameter.lower), to_value=float(parameter.upper))
            ]
    return result


def declare(node: Node, parameters: Iterable[RosParameter]) -> dict[str, Any]:
    """Declare the parameters that are not declared yet, and return all values by name.

    Raises:
        ConfigError: a value given from outside has the wrong type, is out of range or not one of the choices.
    """
    values = {}
    for parameter in parameters:
        if not node.has_parameter(parameter.name):
            _declare(node, parameter)
        value = node.get_parameter(parameter.name).value
        if parameter.choices and value not in parameter.choices:
            raise ConfigError(unknown(f"value of parameter {parameter.name}", str(value), parameter.choices))
        values[parameter.name] = value
    return values


def _declare(node: Node, parameter: RosParameter) -> None:
    try:
        node.declare_parameter(parameter.name, parameter.default, descriptor(parameter))
    except InvalidParameterTypeException as error:
        raise ConfigError(
            f"parameter {parameter.name}: {error}; expected {type(parameter.default).__name__}: {parameter.description}"
        ) from error
    except InvalidParameterValueException as error:
        raise ConfigError(
            f"parameter {parameter.name}: {error}; allowed {parameter.lower:g} to {parameter.upper:g}: "
            f"{parameter.description}"
        ) from error


NEAR: Final = 0.8  # of 1: how alike a name is that is a slip of another


def refuse_slips(given: Iterable[str], parameters: Iterable[RosParameter]) -> None:
    """Refuse names that are nearly that of a limit for safety: the robot would run without it.

    Raises:
        ConfigError: there are some.
    """
    names = {one.name: one.safety for one in parameters}
    near = {name: get_close_matches(name, names, n=1, cutoff=NEAR) for name in given if name not in names}
    slips = [
        f"unknown parameter {name!r}; did you mean {like[0]!r}, a limit for safety?"
        for name, like in near.items()
        if like and names[like[0]]
    ]
    if slips:
        raise ConfigError(" ".join(slips))


def tell_unread(node: Node, given: Iterable[str]) -> None:
    """Log each name given from outside that no parameter of the node has.

    Names for all nodes (``/**``) are those of other nodes, too: one that is like none of this node is no warning.
    """
    known = node.get_parameters_by_prefix("")
    for name in given:
        if name in known or name.startswith("qos_overrides."):
            continue
        text = f"no parameter {name!r} here: it has no effect"
        if near := get_close_matches(name, known, n=1):
            node.get_logger().warning(f"{text}; did you mean {near[0]!r}?")
        else:
            node.get_logger().info(text)


def pattern(values: Mapping[str, Any], name: str) -> re.Pattern[str]:
    """Return the regular expression in the parameter ``name``.

    Raises:
        ConfigError: it is none.
    """
    try:
        return re.compile(values[name])
    except re.error as error:
        raise ConfigError(
            f"parameter {name} is {values[name]!r}, not a regular expression: {error}"
        ) from error
