# SPDX-License-Identifier: Apache-2.0
"""Gets the skills, rules and values of a robot by which a document is checked.

They come from a body file, a launch argument, a recording, a parameter file or the running robot.
"""

import argparse
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.bml import Document, Problem
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.reading.envelope import age_refusal
from embodiment_bridge.bml.rules.checker import check
from embodiment_bridge.bml.rules.operator_rules import check_channels
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.cli.options import USUAL_BODY, USUAL_SOURCE
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import is_file, read_text
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.safe_yaml import load
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.launching.launch_description import LaunchDescription
from embodiment_bridge.launching.read import read_arguments, read_launch
from embodiment_bridge.nodes.tree.runs.document_rules import (
    PARAMETERS,
    DocumentRules,
    document_rules,
    guard_refusal,
)


@dataclass(frozen=True, slots=True)
class Robot:
    """Holds a body with its rules.

    values: of the blackboard of a robot that runs, None where a topic gave none; troubles: why. source: who sends the
    document.
    """

    skills: Mapping[str, SkillInfo]
    rules: DocumentRules
    source: str = USUAL_SOURCE
    values: Mapping[str, Value] = field(default_factory=dict)
    troubles: Mapping[str, str] = field(default_factory=dict)

    def rules_for(self, *, strict: bool, subtrees: Mapping[str, str]) -> Rules:
        """Return the rules for a document of this source."""
        return self.rules.of(self.skills, self.source, strict=strict, subtrees=subtrees)

    def problems(self, document: Document, *, speech: bool) -> list[Problem]:
        """Check a document against the rules of this robot. speech: accept text to speak."""
        rules = self.rules_for(strict=False, subtrees={})
        found = check(document, rules.skills, speech=speech or self.rules.speaks, urls=rules.urls)
        found += check_channels(document, rules.skills, rules.allowed)
        stale = self.stale(document)
        return [*found, Problem("", "STALE", stale)] if stale else found

    def stale(self, document: Document) -> str:
        """Return why the document is refused for its age; empty if it is not."""
        refusal = age_refusal(document.metadata, self.rules.max_age, time.time())
        return refusal and f"the document is refused: {refusal}"

    def veto(self, given: Mapping[str, Value]) -> str:
        """Return why guards forbid a run, with these values in place of those of topics; empty if they allow it."""
        values = {**self.values, **given}
        told = {source.name: "--set NAME=VALUE gives it" for source in self.rules.sources}
        return guard_refusal(self.rules.guards, values, {**told, **self.troubles})


PACKAGE = "embodiment_bridge"
LAUNCH_FILE = "bringup.launch.xml"
METADATA = "metadata.yaml"  # every rosbag2 directory has it
OF_WHAT_IT_IS_GIVEN = {"replay": "--body DIRECTORY names its recording"}


def body_skills(text: str) -> dict[str, SkillInfo]:
    """Return the skills of a body, by name.

    text: path of a body file (it has a ``/`` or ends in ``.yaml``), a name in ``config/bodies``, a value of the
    launch argument ``body``, which stands for its usual robot, or the directory of a recording.

    Raises:
        ConfigError: there is no such body, or its file cannot be used.
    """
    if is_file(Path(text) / METADATA):
        return _recorded_skills(Path(text))
    return {info.name: info for info in read_body(body_path(text)).skill_infos()}


def body_path(text: str) -> Path:
    """Return the body file that ``text`` names, see ``body_skills``.

    Raises:
        ConfigError: there is no such body.
    """
    if "/" in text or text.endswith((".yaml", ".yml")):
        return Path(text)
    share = find_share(PACKAGE)
    path = share / "config" / "bodies" / f"{text}.yaml"
    if is_file(path):
        return path
    if text in launched_bodies():
        return _launched_path(text, share)
    names = {file.stem for file in path.parent.glob("*.yaml")} | set(launched_bodies())
    raise ConfigError(f"{unknown('body', text, names)}; a body file is given by its path, as ./{text}.yaml")


def launched_bodies() -> tuple[str, ...]:
    """Return the values of the launch argument ``body``."""
    arguments = read_arguments(find_share(PACKAGE) / "launch" / LAUNCH_FILE)
    return next(argument.choices for argument in arguments if argument.name == "body")


def _launched_path(name: str, share: Path) -> Path:
    launched = read_launch(
        share / "launch" / LAUNCH_FILE, {"body": name}, find_share=find_share, environment=os.environ
    )
    found = _body_file(launched, share)
    if found is None:
        hint = OF_WHAT_IT_IS_GIVEN.get(name, "its body file can be given")
        text = f"the skills of body {name!r} are those of what it is given: {hint}"
        raise ConfigError(f"{text}, or --robot NAMESPACE asks it when it runs")
    return found


def _body_file(launched: LaunchDescription, share: Path) -> Path | None:
    for node in launched.nodes:
        given = {
            key: value for one in node.parameters if not isinstance(one, Path) for key, value in one.items()
        }
        file = str(given.get("body_file", ""))
        if file.endswith(".yaml"):
            return Path(file)
        if "model" in given and file in ("", "auto"):
            return _of_model(str(given["model"]), share)
    return None


def _of_model(model: str, share: Path) -> Path | None:
    """Return the file that a simulated robot takes by itself."""
    from embodiment_bridge.nodes.mujoco.robots import AUTO, NONE, robot_files

    body = robot_files(model, AUTO, NONE, AUTO, lambda: share).body
    return Path(body) if body else None


def _recorded_skills(directory: Path) -> dict[str, SkillInfo]:
    """Return the skills that the player serves where a recording is the body."""
    from embodiment_bridge.bags.reader import BagReader
    from embodiment_bridge.nodes.bags.bag_playback import description_of, recorded_list

    with BagReader(directory) as reader:
        recorded = recorded_list(reader)
    if recorded is None:
        raise ConfigError(f"recording {directory}: it has no topic `skills`, so no skill can be requested")
    return {info.name: info for info in description_of(recorded).skill_infos()}


NODE = "behavior_tree"
WAIT_S = 10.0
# For the values of topics; a guard whose value does not come says so.
VALUES_S = 10.0  # s, if the topic has a publisher: the machine may be busy
UNPUBLISHED_S = 5.0  # until the graph has told of one


def ask_robot(namespace: str, source: str) -> Robot:
    """Ask the body and the behaviour-tree node in a namespace.

    Raises:
        ConfigError: one of them did not answer; the text says which.
    """
    from embodiment_bridge.launching.environment import prepare

    prepare()
    import rclpy
    from rcl_interfaces.srv import GetParameters
    from rclpy.parameter import parameter_value_to_python

    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
    from embodiment_bridge.nodes.tree.values.blackboard_feed import BlackboardFeed

    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("bml_tool", namespace=namespace, context=runtime.context))
        body = BodySkills(node, lambda: None)
        client = node.create_client(GetParameters, f"{NODE}/get_parameters")
        deadline = time.monotonic() + WAIT_S
        runtime.spin(lambda: client.service_is_ready() or time.monotonic() > deadline)
        names = [parameter.name for parameter in PARAMETERS]
        answer = client.call_async(GetParameters.Request(names=names))
        runtime.spin(lambda: (answer.done() and bool(body.skills)) or time.monotonic() > deadline)
        if not answer.done():
            raise ConfigError(
                f"no node {NODE} answers in namespace {namespace}; start a robot, or give --params FILE"
            )
        if not body.skills:
            raise ConfigError(f"namespace {namespace}: {body.absence}")
        values: dict[str, Any] = {
            name: parameter_value_to_python(value)
            for name, value in zip(names, answer.result().values, strict=True)
        }
        rules = document_rules(values)
        feed = BlackboardFeed(node, rules.sources, 0.0)
        begun = time.monotonic()

        def enough() -> bool:
            patience = VALUES_S if feed.coming else UNPUBLISHED_S
            return not feed.troubles or time.monotonic() - begun > patience

        runtime.spin(enough)
        return Robot(body.skills, rules, source, feed.values(), feed.troubles)


SECTION = "ros__parameters"


def read_parameters(path: str, parameters: Iterable[Parameter], node: str) -> dict[str, Any]:
    """Return the values of ``parameters`` as a node of that name has them.

    What the file does not name has its default.

    The keys of the file are names of nodes in any namespace, or have wildcards (``/**``); a later key wins.

    Raises:
        ConfigError: the file cannot be read, has another form, or a value is not of the parameter's type, range or
            choices.
    """
    try:
        content = load(read_text(Path(path)))
    except ConfigError as error:
        raise ConfigError(f"parameter file {path}: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(
            f"parameter file {path}: it has no names of nodes; the form is NODE: {{{SECTION}: ...}}"
        )
    given: dict[str, Any] = {}
    for key, section in content.items():
        if not isinstance(section, Mapping) or not isinstance(section.get(SECTION), Mapping):
            raise ConfigError(f"parameter file {path}: {key!r:.100} has no {SECTION}")
        if _matches(str(key), node):
            given.update(section[SECTION])
    return {one.name: _checked(one, given.get(one.name, one.default), path) for one in parameters}


def _matches(key: str, node: str) -> bool:
    """Return whether a key of the file stands for a node of that name, in whatever namespace."""
    return key == "/**" or fnmatchcase(node, key.rpartition("/")[2])


def _checked(parameter: Parameter, value: object, path: str) -> object:
    where = f"parameter file {path}: parameter {parameter.name}"
    default = parameter.default
    if isinstance(default, list):
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ConfigError(f"{where} is a list of texts, not {value!r:.100}")
        return value
    if type(value) is not type(default):
        kinds = {bool: "true or false", int: "a whole number", float: "a number with a point", str: "a text"}
        raise ConfigError(f"{where} is {kinds[type(default)]}, not {value!r:.100}")
    if parameter.choices and value not in parameter.choices:
        raise ConfigError(f"parameter file {path}: {unknown(parameter.name, str(value), parameter.choices)}")
    lower, upper = parameter.lower, parameter.upper
    if lower is None or upper is None or not isinstance(value, (int, float)) or lower <= value <= upper:
        return value
    raise ConfigError(f"{where} is {value}, not within {lower:g} to {upper:g}")


def given_robot(arguments: argparse.Namespace) -> Robot:
    """Return the robot that the options name.

    Without ``--params`` and ``--robot`` every public host may be fetched from.

    Raises:
        ConfigError: there is no such body, file or robot, or a parameter cannot be used.
    """
    if arguments.robot is not None:
        if arguments.params:
            raise ConfigError("--robot asks the robot for its parameters; --params is not possible beside it")
        return ask_robot(arguments.robot, arguments.source)
    skills = body_skills(arguments.body or USUAL_BODY)
    if arguments.params:
        return Robot(
            skills,
            document_rules(read_parameters(arguments.params, PARAMETERS, NODE)),
            arguments.source,
        )
    rules = document_rules({parameter.name: parameter.default for parameter in PARAMETERS})
    return Robot(skills, replace(rules, urls=UrlPolicy(), settings=Settings()), arguments.source)
