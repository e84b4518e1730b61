# SPDX-License-Identifier: Apache-2.0
"""The options that every node passes to rclpy."""

from typing import TypedDict

from rclpy.context import Context
from rclpy.parameter import Parameter


class NodeOptions(TypedDict, total=False):
    """Options of ``rclpy.node.Node``, by the same names, and with the same defaults where one is left out."""

    context: Context
    namespace: str | None
    cli_args: list[str]
    use_global_arguments: bool
    enable_rosout: bool
    start_parameter_services: bool
    parameter_overrides: list[Parameter]
