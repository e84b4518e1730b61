# SPDX-License-Identifier: Apache-2.0
"""The variables and settings at one point of a launch file, and what reading the files has collected so far."""

import os.path
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.document import MAX_NESTING, Element, PlacedError, load
from embodiment_bridge.launching.launch_description import (
    Argument,
    NodeDescription,
    ParameterValue,
    ProgramDescription,
)
from embodiment_bridge.launching.substitutions import Sources, Template, evaluate, parse, unescape

NAMESPACE = "ros_namespace"  # launch_ros keeps the pushed namespace among the variables, by this name
# Names that launch uses itself; some of them change how processes are started.
RESERVED = (
    NAMESPACE,
    "global_params",
    "ros_remaps",
    "launch-prefix",
    "launch-prefix-filter",
    "emulate_tty",
    "sigterm_timeout",
    "sigkill_timeout",
)
MAX_FILES = 64
MAX_REPEATS = 16  # nested includes of one file: a file that counts up ends by a condition of its own
MAX_ELEMENTS = 10_000  # in total: nested pairs of includes grow by powers of two
MAX_STARTED = 256  # nodes and programs; each has its own copy of the environment


@dataclass
class Run:
    """Holds the state of reading one launch file with its includes."""

    environment: Mapping[str, str]
    find_share: Callable[[str], Path]
    nodes: list[NodeDescription] = field(default_factory=list)
    executables: list[ProgramDescription] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    arguments: dict[str, Argument] = field(default_factory=dict)
    elements: int = 0
    files: dict[Path, Element] = field(default_factory=dict)

    def load(self, path: Path) -> Element:
        """Return the root of a file, which is read only once; its declared arguments are collected."""
        if path not in self.files:
            if len(self.files) >= MAX_FILES:
                raise ConfigError(f"more than {MAX_FILES} launch files are included")
            self.files[path] = load(path)
            for argument in declared_arguments(self.files[path]):
                self.arguments.setdefault(argument.name, argument)
        return self.files[path]

    def count(self) -> None:
        """Count one more element to carry out.

        Raises:
            ConfigError: more elements, nodes or programs than the limits.
        """
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise ConfigError(f"more than {MAX_ELEMENTS} elements to carry out")
        if len(self.nodes) + len(self.executables) > MAX_STARTED:
            raise ConfigError(f"more than {MAX_STARTED} nodes and executables to start")


@dataclass(frozen=True, slots=True)
class Scope:
    """Holds variables, environment and ``<set_parameter>`` values at one point of a file.

    A scoped group has its own copies.

    ``inherited``: whether an outer scope has set parameters. ``including``: the chain of files that include this one.
    """

    run: Run
    file: Path
    variables: dict[str, str]
    environment: dict[str, str]
    global_parameters: list[tuple[str, ParameterValue]] = field(default_factory=list)
    inherited: bool = False
    including: tuple[Path, ...] = ()
    depth: int = 0

    def evaluate(self, template: Template) -> str:
        """Return the text of a template with the values of this scope."""
        # As launch does: links are not followed.
        directory = Path(os.path.normpath(self.file.absolute())).parent
        return evaluate(template, Sources(self.variables, self.environment, directory, self.run.find_share))

    def text(self, element: Element, attribute: str) -> str:
        """Return the attribute with its substitutions done; KeyError if it is missing."""
        return self.evaluate(parse(element.attributes[attribute]))

    def optional(self, element: Element, attribute: str) -> str | None:
        """Return the attribute with its substitutions done, or None if it is missing."""
        return self.text(element, attribute) if attribute in element.attributes else None

    def set_variable(self, name: str, value: str) -> None:
        """Set a variable, unless launch itself uses the name."""
        if name in RESERVED:
            raise ConfigError(f"{name!r} cannot be a variable: ros2 launch gives it a meaning of its own")
        self.variables[name] = value

    def group(self, *, scoped: bool) -> "Scope":
        """Return the scope inside a group."""
        inside = replace(self, depth=self._deeper())
        if not scoped:
            return inside
        return replace(
            inside,
            variables=dict(self.variables),
            environment=dict(self.environment),
            global_parameters=list(self.global_parameters),
            inherited=bool(self.global_parameters),
        )

    def included(self, path: Path) -> "Scope":
        """Return the scope inside an included file, which shares the variables, as with launch."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError) as error:  # a loop of symbolic links
            raise ConfigError(f"{path} cannot be found: {error}") from error
        if self.including.count(real) >= MAX_REPEATS:
            raise ConfigError(f"{path} includes itself more than {MAX_REPEATS} times over")
        return replace(self, file=path, including=(*self.including, real), depth=self._deeper())

    def _deeper(self) -> int:
        if self.depth >= MAX_NESTING:
            raise ConfigError(f"groups and includes are nested deeper than {MAX_NESTING}")
        return self.depth + 1


def check_given(element: Element, given: Collection[str]) -> None:
    """Check that every required argument of a file is given by name; a variable of that name is not enough.

    Raises:
        ConfigError: an argument without default and condition is not among the given ones.
    """
    for child in element.children:
        if child.attributes.keys() & {"if", "unless"}:
            continue
        if child.tag == "group":
            check_given(child, given)
        elif child.tag == "arg" and "default" not in child.attributes:
            name = unescape(child.attributes["name"])
            if name not in given:
                raise PlacedError(f"{child.place}: argument {name!r} has no default and was not given")


def declared_arguments(element: Element) -> list[Argument]:
    """Return all arguments that a file declares, also inside groups and with conditions."""
    found = []
    for child in element.children:
        if child.tag == "group":
            found += declared_arguments(child)
        elif child.tag == "arg":
            found.append(
                Argument(
                    name=unescape(child.attributes["name"]),
                    default=child.attributes.get("default"),
                    description=unescape(child.attributes.get("description", "")),
                    choices=tuple(unescape(choice.attributes["value"]) for choice in child.children),
                )
            )
    return found
