# SPDX-License-Identifier: Apache-2.0
"""Shares the robots of a launch description out over several processes, because one interpreter uses one core."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import OUR_PROGRAM
from embodiment_bridge.launching.executables import OWN_PROCESS
from embodiment_bridge.launching.launch_description import (
    LaunchDescription,
    NodeDescription,
    ProgramDescription,
)


def part_of(description: LaunchDescription, part: int, parts: int) -> LaunchDescription:
    """What one of ``parts`` processes runs; ``part`` 0 also has the programs and the nodes in processes of their own.

    The nodes of a namespace stay together.

    Raises:
        ConfigError: there are fewer namespaces than parts, or robots share a world in their process.
    """
    spaces = list(dict.fromkeys(n.namespace for n in description.nodes if n.executable not in OWN_PROCESS))
    if not 1 <= parts <= max(len(spaces), 1):
        raise ConfigError(
            f"--processes is {parts}: possible is 1 to {max(len(spaces), 1)}, the number of namespaces with nodes"
        )
    for node in description.nodes if parts > 1 else ():
        if _is_managed(node):
            raise ConfigError(
                f"{node.place}: --processes is {parts}: a world with transport managed is in one"
            )
    place = {space: index % parts for index, space in enumerate(spaces)}
    nodes = tuple(
        node
        for node in description.nodes
        if (0 if node.executable in OWN_PROCESS else place[node.namespace]) == part
    )
    if part:
        return replace(description, nodes=nodes, executables=(), log=())
    return replace(description, nodes=nodes)


def other_parts(words: Sequence[str], parts: int, parent: int) -> tuple[ProgramDescription, ...]:
    """The programs that run the other parts: ``up`` with ``words``, each until the process ``parent`` has ended."""
    return tuple(
        ProgramDescription(
            (
                OUR_PROGRAM,
                "up",
                *words,
                "--processes",
                str(parts),
                "--part",
                str(part),
                "--end-with",
                str(parent),
            ),
            f"process {part + 1} of {parts}",
            Path.cwd(),
            {},
            "screen",
            "--processes",
        )
        for part in range(1, parts)
    )


def _is_managed(node: NodeDescription) -> bool:
    values = [
        given["transport"]
        for given in node.parameters
        if not isinstance(given, Path) and "transport" in given
    ]
    return values[-1:] == ["managed"]
