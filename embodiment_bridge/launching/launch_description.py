# SPDX-License-Identifier: Apache-2.0
"""A launch description: nodes and programs with conditions and substitutions resolved."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_text

# Node names and namespaces: joined as launch_ros does it, and checked by the rules of ROS 2's middleware.

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAMESPACE = re.compile(r"/|(?:/[A-Za-z_][A-Za-z0-9_]*)+")
MAX_NAME = 255  # characters; RMW_NODE_NAME_MAX_NAME_LENGTH
MAX_NAMESPACE = 245  # RMW_NAMESPACE_MAX_LENGTH


def node_name(name: str) -> str:
    """Return the name itself, checked.

    Raises:
        ConfigError: a node cannot have this name.
    """
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise ConfigError(
            f"node name {name[:60]!r} is not one of letters, digits and _, beginning with no digit"
        )
    return name


def join_namespace(outer: str, inner: str) -> str:
    """Return ``inner`` under ``outer``; an ``inner`` that begins with / stands alone. The result begins with / .

    Raises:
        ConfigError: the result is not a namespace.
    """
    joined = inner if inner.startswith("/") or not outer else f"{outer.rstrip('/')}/{inner}"
    joined = joined.rstrip("/")
    if not joined.startswith("/"):
        joined = "/" + joined
    if len(joined) > MAX_NAMESPACE or not _NAMESPACE.fullmatch(joined):
        raise ConfigError(
            f"namespace {joined[:60]!r} (from {outer!r} and {inner!r}) has a part that is not one of letters,"
            " digits and _, beginning with no digit"
        )
    return joined


ParameterValue = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]


@dataclass(frozen=True, slots=True)
class Argument:
    """Represents an argument that a launch file declares.

    ``default`` is as written; None if a value must be given.
    """

    name: str
    default: str | None
    description: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """Describes one node to start.

    ``name`` and ``namespace`` are None if the file does not set them; a namespace is absolute.
    ``global_parameters`` come from ``<set_parameter>`` and hold for any node of the process; ``parameters``
    are for this node, values and YAML files in the order in which they are applied.
    ``env`` has the variables that differ from the environment of the reader; None unsets one.
    ``required``: nothing goes on when it has ended (``on_exit="shutdown"``). ``place`` is ``file:line``, for messages.
    """

    package: str
    executable: str
    name: str | None
    namespace: str | None
    global_parameters: tuple[tuple[str, ParameterValue], ...]
    parameters: tuple[Mapping[str, ParameterValue] | Path, ...]
    remappings: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...]
    env: Mapping[str, str | None]
    output: str
    required: bool
    place: str

    @property
    def full_name(self) -> str | None:
        """Namespace and name in one (``/robot1/agent_bridge``), or None if one of them is not given."""
        if self.name is None or self.namespace is None:
            return None
        return f"{self.namespace.rstrip('/')}/{self.name}"


@dataclass(frozen=True, slots=True)
class ProgramDescription:
    """Describes one outside program: ``cmd`` is its command line.

    ``name`` labels its output; ``required`` as of a node.
    """

    cmd: tuple[str, ...]
    name: str
    cwd: Path | None
    env: Mapping[str, str | None]
    output: str
    required: bool
    place: str


@dataclass(frozen=True, slots=True)
class LaunchDescription:
    """Holds all nodes, programs and log lines of a launch file, in the order of the file."""

    nodes: tuple[NodeDescription, ...]
    executables: tuple[ProgramDescription, ...]
    log: tuple[str, ...]
    arguments: tuple[Argument, ...]


def ros_args(node: NodeDescription, write: Callable[[str], Path]) -> list[str]:
    """Return arguments, name, namespace, parameters and remaps of a node as words of a command line.

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


def without_node(nodes: Iterable[NodeDescription]) -> Iterator[str]:
    """Tell each key of a parameter file that is the name of no node, a slip perhaps: its parameters have no effect."""
    nodes = list(nodes)
    names = [node.full_name or f"{node.namespace or ''}/{node.name or node.executable}" for node in nodes]
    for file in dict.fromkeys(one for node in nodes for one in node.parameters if isinstance(one, Path)):
        try:
            content = safe_yaml.load(read_text(file))
        except ConfigError:
            continue  # rclpy tells what is wrong with it
        for key in _keys(content):
            if not any(_pattern(key).fullmatch(name) for name in names):
                yield f"{file}: its parameters have no effect: {unknown('node', key, names)}"


def _keys(content: object) -> Iterator[str]:
    """Full names of nodes in a parameter file, with ``*`` for any part and ``**`` for any parts."""
    for key, below in content.items() if isinstance(content, dict) else ():
        if key == "ros__parameters":
            yield ""
        else:
            yield from (f"/{str(key).strip('/')}{inner}" for inner in _keys(below))


def _pattern(key: str) -> re.Pattern[str]:
    parts = {"**": r"(?:/\w+)*", "*": r"/\w+"}
    return re.compile("".join(parts.get(part, f"/{re.escape(part)}") for part in key.split("/")[1:]))
