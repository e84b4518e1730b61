# SPDX-License-Identifier: Apache-2.0
"""Reads a ROS 2 XML launch file by carrying out its tags, with the same result as ``ros2 launch``.

Only the tags in ``document.TAGS`` and the substitutions in ``substitutions`` are known; anything else is
refused with its file and line. Reading starts nothing and does not ask the system: environment and packages are
arguments.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import is_file
from embodiment_bridge.launching.document import LOG_TAGS, Element, load, placed
from embodiment_bridge.launching.launch_description import (
    Argument,
    LaunchDescription,
    NodeDescription,
    ParameterValue,
    ProgramDescription,
    join_namespace,
    node_name,
)
from embodiment_bridge.launching.scope import NAMESPACE, Run, Scope, check_given, declared_arguments
from embodiment_bridge.launching.substitutions import parse, unescape
from embodiment_bridge.launching.values import command_words, parameter_value, set_parameter_value, truth

OUTPUTS = ("screen", "log", "both", "own_log", "full")
LOG_LEVELS = ("debug", "info", "warning", "error", "critical")


def carry_out(elements: Iterable[Element], scope: Scope) -> None:
    """Process elements one after the other; the nodes and programs to start are added to ``scope.run``.

    Raises:
        ConfigError: with file, line and tag.
    """
    for element in elements:
        with _counted(element, scope):
            if _applies(element, scope):
                _ACTIONS[element.tag](element, scope)


@contextmanager
def _counted(element: Element, scope: Scope) -> Iterator[None]:
    with placed(element):
        scope.run.count()
        yield


def _applies(element: Element, scope: Scope) -> bool:
    if "if" in element.attributes:
        return truth(scope.text(element, "if"))
    return "unless" not in element.attributes or not truth(scope.text(element, "unless"))


def _arg(element: Element, scope: Scope) -> None:
    name = unescape(element.attributes["name"])
    if name not in scope.variables:
        if "default" not in element.attributes:
            raise ConfigError(f"argument {name!r} has no default and was not given")
        value = scope.text(element, "default")
    else:
        value = scope.variables[name]
    scope.set_variable(name, value)
    choices = [unescape(choice.attributes["value"]) for choice in element.children]
    if choices and value not in choices:
        raise ConfigError(
            f"argument {name!r} is {value!r}, which is not one of its choices: {', '.join(choices)}"
        )


def _let(element: Element, scope: Scope) -> None:
    scope.set_variable(scope.text(element, "name"), scope.text(element, "value"))


def _group(element: Element, scope: Scope) -> None:
    carry_out(element.children, scope.group(scoped=truth(element.attributes.get("scoped", "true"))))


def _push_namespace(element: Element, scope: Scope) -> None:
    outer = scope.variables.get(NAMESPACE, "")
    scope.variables[NAMESPACE] = join_namespace(outer, scope.text(element, "namespace"))


def _include(element: Element, scope: Scope) -> None:
    path = Path(scope.text(element, "file"))
    if path.suffix != ".xml":
        raise ConfigError(f"{str(path)!r} is not an .xml launch file")
    inside = scope.included(path)
    root = scope.run.load(path)
    check_given(root, [scope.text(child, "name") for child in element.children])
    for child in element.children:
        with _counted(child, scope):
            _let(child, inside)
    carry_out(root.children, inside)


def _set_env(element: Element, scope: Scope) -> None:
    name, value = _variable(element, scope)
    scope.environment[name] = value


def _unset_env(element: Element, scope: Scope) -> None:
    scope.environment.pop(scope.text(element, "name"), None)


def _set_parameter(element: Element, scope: Scope) -> None:
    if scope.inherited:
        # launch_ros 0.26.6 appends to the list of the scope outside, where the value then stays.
        raise ConfigError(
            "a second set_parameter inside a group would also hold outside it; use <param> in each node"
        )
    name, text = scope.text(element, "name"), scope.text(element, "value")
    scope.global_parameters.append((name, set_parameter_value(text)))


def _log(element: Element, scope: Scope) -> None:
    level = scope.text(element, "level") if "level" in element.attributes else "info"
    if level.lower() not in LOG_LEVELS:
        raise ConfigError(unknown("level", level, LOG_LEVELS))
    _say(level, element, scope)


def _say(level: str, element: Element, scope: Scope) -> None:
    message = scope.text(element, "message")
    if level.lower() != "debug":  # which ros2 launch does not show either, unless it is asked to
        scope.run.log.append(message)


def _executable(element: Element, scope: Scope) -> None:
    cmd = command_words(parse(element.attributes["cmd"]), scope.evaluate)
    if not cmd or not cmd[0]:
        raise ConfigError(f"cmd {element.attributes['cmd']!r} does not name a program")
    cwd, name = scope.optional(element, "cwd"), scope.optional(element, "name")
    if "" in (cwd, name):
        raise ConfigError("'cwd' and 'name' cannot be empty")
    scope.run.executables.append(
        ProgramDescription(
            cmd=cmd,
            name=name or Path(cmd[0]).name,
            cwd=None if cwd is None else Path(cwd),
            env=_env(element, scope),
            output=_output(element, scope),
            required=_required(element),
            place=element.place,
        )
    )


def _node(element: Element, scope: Scope) -> None:
    name, own_namespace = scope.optional(element, "name"), scope.optional(element, "namespace")
    namespace = scope.variables.get(NAMESPACE)
    if own_namespace is not None:
        namespace = join_namespace(namespace or "", own_namespace)
    arguments = element.attributes.get("args")
    scope.run.nodes.append(
        NodeDescription(
            package=scope.text(element, "pkg"),
            executable=scope.text(element, "exec"),
            name=None if name is None else node_name(name),
            namespace=namespace,
            global_parameters=tuple(scope.global_parameters),
            parameters=tuple(_param(child, scope) for child in element.named("param")),
            remappings=tuple(_remap(child, scope) for child in element.named("remap")),
            arguments=() if arguments is None else command_words(parse(arguments), scope.evaluate),
            env=_env(element, scope),
            output=_output(element, scope),
            required=_required(element),
            place=element.place,
        )
    )


def _param(element: Element, scope: Scope) -> Mapping[str, ParameterValue] | Path:
    with _counted(element, scope):
        if "from" not in element.attributes:
            return dict(_named_param(element, scope))
        if len(element.attributes) > 1 or element.children:
            raise ConfigError("'from' stands alone")
        path = Path(scope.text(element, "from"))
        if not is_file(path):
            raise ConfigError(f"parameter file {str(path)!r} does not exist")
        return path


def _named_param(element: Element, scope: Scope) -> Iterable[tuple[str, ParameterValue]]:
    """Return the parameters of one tag; the names of nested tags are joined by dots."""
    attributes = element.attributes
    if "name" not in attributes or "from" in attributes:
        raise ConfigError("a param has 'name', or 'from' where it is not inside another")
    if ("value" in attributes) == bool(element.children) or ("type" in attributes and element.children):
        raise ConfigError("a param has either 'value' (and perhaps 'type') or params inside")
    name = scope.text(element, "name")
    if not name:
        raise ConfigError("'name' cannot be empty")
    if not element.children:
        yield name, parameter_value(attributes["value"], attributes.get("type", "yaml"), scope.evaluate)
    for child in element.children:
        with _counted(child, scope):
            for nested, value in _named_param(child, scope):
                yield f"{name}.{nested}", value


def _remap(element: Element, scope: Scope) -> tuple[str, str]:
    with _counted(element, scope):
        source, target = scope.text(element, "from"), scope.text(element, "to")
        if not (source and target):
            raise ConfigError("'from' and 'to' cannot be empty")
        return source, target


def _env(element: Element, scope: Scope) -> dict[str, str | None]:
    """Return the variables of a process that differ from the environment of the reader; None unsets one."""
    environment = dict(scope.environment)
    for child in element.named("env"):
        with _counted(child, scope):
            name, value = _variable(child, scope)
            environment[name] = value
    before = scope.run.environment
    changes: dict[str, str | None] = {name: None for name in before if name not in environment}
    changes.update((name, value) for name, value in environment.items() if before.get(name) != value)
    return changes


def _variable(element: Element, scope: Scope) -> tuple[str, str]:
    """Name and value of an environment variable."""
    name, value = scope.text(element, "name"), scope.text(element, "value")
    if not name or "=" in name or "\0" in name:
        raise ConfigError(f"{name!r} cannot be the name of an environment variable")
    return name, value


def _output(element: Element, scope: Scope) -> str:
    output = scope.text(element, "output") if "output" in element.attributes else "log"
    if output not in OUTPUTS:
        raise ConfigError(f"output {output!r} is not one of {', '.join(OUTPUTS)}")
    return output


def _required(element: Element) -> bool:
    on_exit = element.attributes.get("on_exit")
    if on_exit not in (None, "shutdown"):
        raise ConfigError(f"on_exit {on_exit!r} is not shutdown")
    return on_exit is not None


_ACTIONS: Mapping[str, Callable[[Element, Scope], None]] = {
    "arg": _arg,
    "let": _let,
    "group": _group,
    "push-ros-namespace": _push_namespace,
    "push_ros_namespace": _push_namespace,
    "node": _node,
    "include": _include,
    "set_env": _set_env,
    "unset_env": _unset_env,
    "set_parameter": _set_parameter,
    "executable": _executable,
    "log": _log,
    **{tag: partial(_say, tag.removeprefix("log_")) for tag in LOG_TAGS},
}


def read_launch(
    path: Path,
    arguments: Mapping[str, str],
    *,
    find_share: Callable[[str], Path],
    environment: Mapping[str, str],
) -> LaunchDescription:
    """Return the nodes and programs that a launch file starts.

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
    """Return the arguments that a launch file itself declares, for help texts; its includes are not followed.

    Raises:
        ConfigError: the file cannot be used.
    """
    return tuple(declared_arguments(load(path)))


def parse_arguments(words: Iterable[str]) -> dict[str, str]:
    """Parse arguments of a command line, ``name:=value`` each; the last one of a name wins.

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
