# SPDX-License-Identifier: Apache-2.0
"""Reads a ROS 2 XML launch file into a launch description, with the same result as ``ros2 launch``.

Only the tags in ``document.TAGS`` and the substitutions in ``substitutions`` are known; anything else is
refused with its file and line. Reading starts nothing and does not ask the system: environment and packages are
arguments.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.launching.actions import carry_out
from embodiment_bridge.launching.document import load
from embodiment_bridge.launching.launch_description import Argument, LaunchDescription
from embodiment_bridge.launching.scope import Run, Scope, check_given, declared_arguments


def read_launch(
    path: Path,
    arguments: Mapping[str, str],
    *,
    find_share: Callable[[str], Path],
    environment: Mapping[str, str],
) -> LaunchDescription:
    """The nodes and programs that a launch file starts.

    Args:
        path: the launch file.
        arguments: values for its arguments, as from ``parse_arguments``.
        find_share: gives the share directory of a package; raises LookupError for an unknown one.
        environment: the variables for ``$(env)``, which the processes inherit, such as ``os.environ``.

    Raises:
        ConfigError: a file or argument cannot be used; the text names file, line, tag, value and choices.
    """
    run = Run(environment=dict(environment), find_share=find_share)
    scope = Scope(run, path, dict(arguments), dict(environment), including=(path.resolve(),))
    root = run.load(path)
    check_given(root, arguments)
    carry_out(root.children, scope)
    for name in arguments:
        if name not in run.arguments:
            raise ConfigError(unknown("argument", name, run.arguments))
    return LaunchDescription(
        tuple(run.nodes), tuple(run.executables), tuple(run.log), tuple(run.arguments.values())
    )


def read_arguments(path: Path) -> tuple[Argument, ...]:
    """The arguments that a launch file itself declares, for help texts; its includes are not followed.

    Raises:
        ConfigError: the file cannot be used.
    """
    return tuple(declared_arguments(load(path)))


def parse_arguments(words: Iterable[str]) -> dict[str, str]:
    """Arguments of a command line, ``name:=value`` each; the last one of a name wins.

    Raises:
        ConfigError: a word does not have this form. As with ``ros2 launch``, a value cannot be empty.
    """
    arguments = {}
    for word in words:
        name, separator, value = word.partition(":=")
        if not (name and separator and value):
            raise ConfigError(f"argument {word!r} is not of the form name:=value")
        arguments[name] = value
    return arguments
