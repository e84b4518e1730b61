# SPDX-License-Identifier: Apache-2.0
"""A launch description: nodes and programs of a launch file, with conditions and substitutions resolved."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ParameterValue = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a launch file declares. ``default`` is as written; None if a value must be given."""

    name: str
    default: str | None
    description: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeDescription:
    """One node to start.

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
    """One outside program: ``cmd`` is its command line; ``name`` labels its output; ``required`` as of a node."""

    cmd: tuple[str, ...]
    name: str
    cwd: Path | None
    env: Mapping[str, str | None]
    output: str
    required: bool
    place: str


@dataclass(frozen=True, slots=True)
class LaunchDescription:
    """All nodes, programs and log lines of a launch file, in the order of the file."""

    nodes: tuple[NodeDescription, ...]
    executables: tuple[ProgramDescription, ...]
    log: tuple[str, ...]
    arguments: tuple[Argument, ...]
