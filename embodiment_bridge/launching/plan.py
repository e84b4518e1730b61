# SPDX-License-Identifier: Apache-2.0
"""What a launch file asks for once all its conditions and substitutions are done."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ParameterValue = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a launch file declares. ``default`` is as written; None where one must be given."""

    name: str
    default: str | None
    description: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodePlan:
    """One node to start.

    ``name`` and ``namespace`` are None where the file leaves them to the node; a namespace is absolute.
    ``global_parameters`` come from ``<set_parameter>`` and hold for any node of the process; ``parameters``
    are for this node, values and YAML files in the order in which they are applied.
    ``env`` is what differs from the environment the reader was given; None unsets.
    ``place`` is ``file:line``, for messages.
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
    place: str

    @property
    def full_name(self) -> str | None:
        """Namespace and name in one (``/robot1/agent_bridge``), or None where one of them is not given."""
        if self.name is None or self.namespace is None:
            return None
        return f"{self.namespace.rstrip('/')}/{self.name}"


@dataclass(frozen=True, slots=True)
class ExecutablePlan:
    """One program that is no node of ours: the words of its command line; ``name`` labels its output."""

    cmd: tuple[str, ...]
    name: str
    cwd: Path | None
    env: Mapping[str, str | None]
    output: str
    place: str


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All that a launch file starts and says, each in the order of the file."""

    nodes: tuple[NodePlan, ...]
    executables: tuple[ExecutablePlan, ...]
    log: tuple[str, ...]
    arguments: tuple[Argument, ...]
