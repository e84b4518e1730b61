# SPDX-License-Identifier: Apache-2.0
"""The arguments of a node, word for word those that ``ros2 launch`` puts after the program's name."""

from collections.abc import Callable
from pathlib import Path

import yaml

from embodiment_bridge.launching.launch_description import NodeDescription


def ros_args(node: NodeDescription, write: Callable[[str], Path]) -> list[str]:
    """Arguments, name, namespace, parameters and remaps of a node as words of a command line.

    Parameters are passed in YAML files; ``write`` writes a text into a new file and returns the path. They are under
    the node's full name if it is known, else under ``/**``. rclpy decides which value of a parameter holds: 7.1.6
    goes through the names in the order in which it first saw them, and the last one holds.
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
