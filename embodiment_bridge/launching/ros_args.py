# SPDX-License-Identifier: Apache-2.0
"""The command line of a node, word for word what ``ros2 launch`` puts after the program's name."""

from collections.abc import Callable
from pathlib import Path

import yaml

from embodiment_bridge.launching.plan import NodePlan


def ros_args(node: NodePlan, write: Callable[[str], Path]) -> list[str]:
    """Arguments, name, namespace, parameters and remaps of a node as words of a command line.

    Parameters travel in YAML files; ``write`` puts such a text into a file of its own and says where. They
    stand under the node's full name where it is known, else under ``/**``. Which value of a parameter holds is
    up to rclpy: 7.1.6 goes through the names in the order in which it first saw them, and the last one holds.
    """
    words = [*node.arguments, "--ros-args"]
    if node.name is not None:
        words += ["-r", f"__node:={node.name}"]
    if node.namespace is not None:
        words += ["-r", f"__ns:={node.namespace}"]
    for name, value in node.global_parameters:
        words += ["-p", f"{name}:={value}"]
    for parameters in node.parameters:
        if not isinstance(parameters, Path):
            content = {node.full_name or "/**": {"ros__parameters": dict(parameters)}}
            parameters = write(yaml.safe_dump(content, default_flow_style=False))
        words += ["--params-file", str(parameters)]
    for source, target in node.remappings:
        words += ["-r", f"{source}:={target}"]
    return words
