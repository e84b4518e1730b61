# SPDX-License-Identifier: Apache-2.0
"""Declares and reads the parameters of a node, and types the options that every node passes to rclpy."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

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
