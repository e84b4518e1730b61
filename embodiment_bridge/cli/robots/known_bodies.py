# SPDX-License-Identifier: Apache-2.0
"""The skills of a body: by its file, its name, the launch argument ``body``, or a recording of it."""

import os
from pathlib import Path

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.paths import is_file
from embodiment_bridge.launching.launch_description import LaunchDescription
from embodiment_bridge.launching.read import read_arguments, read_launch
from embodiment_bridge.launching.shares import find_share

PACKAGE = "embodiment_bridge"
LAUNCH_FILE = "bringup.launch.xml"
METADATA = "metadata.yaml"  # every rosbag2 directory has it
OF_WHAT_IT_IS_GIVEN = {"replay": "--body DIRECTORY names its recording"}


def body_skills(text: str) -> dict[str, SkillInfo]:
    """The skills of a body, by name.

    text: path of a body file (it has a ``/`` or ends in ``.yaml``), a name in ``config/bodies``, a value of the
    launch argument ``body``, which stands for its usual robot, or the directory of a recording.

    Raises:
        ConfigError: there is no such body, or its file cannot be used.
    """
    if is_file(Path(text) / METADATA):
        return _recorded_skills(Path(text))
    return {info.name: info for info in read_body(body_path(text)).skill_infos()}


def body_path(text: str) -> Path:
    """The body file that ``text`` names, see ``body_skills``.

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
    """The values of the launch argument ``body``."""
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
    """The file that a simulated robot takes by itself."""
    from embodiment_bridge.nodes.mujoco.robots import AUTO, NONE, robot_files

    body = robot_files(model, AUTO, NONE, AUTO, lambda: share).body
    return Path(body) if body else None


def _recorded_skills(directory: Path) -> dict[str, SkillInfo]:
    """The skills that the player serves where a recording is the body."""
    from embodiment_bridge.bags.reader import BagReader
    from embodiment_bridge.nodes.bags.recorded_skills import description_of, recorded_list

    with BagReader(directory) as reader:
        recorded = recorded_list(reader)
    if recorded is None:
        raise ConfigError(f"recording {directory}: it has no topic `skills`, so no skill can be requested")
    return {info.name: info for info in description_of(recorded).skill_infos()}
