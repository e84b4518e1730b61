# SPDX-License-Identifier: Apache-2.0
"""Declares parameters with description, range and choices, and reads them with a clear error."""

from collections.abc import Iterable
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import Parameter


def descriptor(parameter: Parameter) -> ParameterDescriptor:
    """The ROS descriptor of a parameter."""
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


def declare(node: Node, parameters: Iterable[Parameter]) -> dict[str, Any]:
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


def _declare(node: Node, parameter: Parameter) -> None:
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
