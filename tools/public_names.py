# SPDX-License-Identifier: Apache-2.0
"""Write docs/public.json: every name that users of this package may rely on, as the program has it.

    python tools/public_names.py            writes the file
    python tools/public_names.py --check    compares; exit code 1, and a line for each name that came or went

docs/public.md says what is promised about these names.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rclpy.lifecycle import TransitionCallbackReturn

from embodiment_bridge.cli.command_line import COMMANDS, parser
from embodiment_bridge.launching.executables import node_factory
from embodiment_bridge.launching.launch_description import NodeDescription
from embodiment_bridge.launching.read import read_arguments, read_launch
from embodiment_bridge.launching.ros_args import ros_args
from embodiment_bridge.launching.shares import find_share
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.service_caller import OF_EVERY_NODE

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "docs/public.json"
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(
    r"^\s*(from embodiment_bridge[\w.]* import [^\n(#]+|import embodiment_bridge[\w.]*)", re.MULTILINE
)
# One launch of each kind of node; what they are connected to need not be there.
LAUNCHES: Mapping[str, Mapping[str, str]] = {
    "body:=mock": {"body": "mock", "record": "true", "viewer": "true"},
    "body:=rcsssmj": {"body": "rcsssmj"},
    "body:=simspark": {"body": "simspark"},
    "body:=maeden": {"body": "maeden"},
    "body:=dummy": {"body": "dummy"},
    "body:=mujoco": {"body": "mujoco"},
    "body:=virtual_servos": {"body": "virtual_servos"},
    "brain:=opencog": {"body": "mock", "brain": "opencog"},
    "soccer_monitor": {},  # a launch file of its own
}
OWN = f"/names_{os.getpid()}"  # a namespace that no node of a running robot has: nodes are asked for by their names
OF_ROS = {*OF_EVERY_NODE, "rosout", "parameter_events", "transition_event"}  # last parts of names
Names = dict[str, list[str]]


def commands() -> Names:
    """The options of each command, those of its parts behind its name."""
    found: Names = {}
    for name in COMMANDS:
        word = name.replace("_", "-")
        _options(parser(word), "", found)
    return found


def _options(one: argparse.ArgumentParser, path: str, found: Names) -> None:
    inner = [action for action in one._actions if isinstance(action, argparse._SubParsersAction)]
    for action in inner:
        for name, below in action.choices.items():
            _options(below, f"{path} {name}".strip(), found)
    if not inner:
        found[path] = sorted(
            word
            for action in one._actions
            for word in action.option_strings or [str(action.metavar or action.dest)]
            if word not in ("-h", "--help")
        )


def imports() -> list[str]:
    """What the code on the pages imports of this package."""
    found = set()
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in CODE.findall(page.read_text(encoding="utf-8")):
            for line in IMPORT.findall(block):
                module, _, names = line.removeprefix("from ").partition(" import ")
                found |= {
                    f"{module}.{name.split(' as ')[0].strip()}" for name in names.split(",") if name.strip()
                }
                if not names:
                    found.add(line.removeprefix("import "))
    return sorted(found)


def interfaces() -> Names:
    """The fields of messages, services and actions."""
    found: Names = {}
    for kind in ("msg", "srv", "action"):
        for path in sorted((ROOT / kind).glob(f"*.{kind}")):
            lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
            found[path.name] = [" ".join(line.split()) for line in lines if line]
    return found


def launch_arguments() -> Names:
    """The arguments of each launch file."""
    return {
        str(path.relative_to(ROOT)): sorted(one.name for one in read_arguments(path))
        for path in sorted((ROOT / "launch").rglob("*.launch.xml"))
    }


def nodes() -> dict[str, Names]:
    """Parameters, topics, services and actions of each node, of each kind of launch."""
    found: dict[str, Names] = {}
    for title, arguments in LAUNCHES.items():
        file, space = ("bringup", OWN) if arguments else (title, f"{OWN}/monitor")
        description = read_launch(
            ROOT / f"launch/{file}.launch.xml",
            {**arguments, "namespace": space},
            find_share=find_share,
            environment=os.environ,
        )
        with Runtime() as runtime, tempfile.TemporaryDirectory() as folder:
            for described in description.nodes:
                node = _made(described, runtime, Path(folder))
                # Topics and parameters come with it; nothing is opened before activation.
                # On a busy machine a helper process may be late; what is wrong for good is so each time.
                tries = (node.trigger_configure() for _ in range(3))
                if TransitionCallbackReturn.SUCCESS not in tries:
                    raise SystemExit(f"{title}: {described.executable} cannot be configured: see above")
                found[f"{title}: {described.executable}"] = _of(node)
    return found


def _made(described: NodeDescription, runtime: Runtime, folder: Path) -> BridgeNode:
    def write(text: str) -> Path:
        path = folder / f"{len(list(folder.iterdir()))}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    make = node_factory(described.package, described.executable)
    words = ros_args(described, write)
    return runtime.add(make(cli_args=words, use_global_arguments=False, context=runtime.context))


def _of(node: BridgeNode) -> Names:
    """What a node has beside that of every lifecycle node of ROS, each as ``name type``."""
    name, space = node.get_name(), node.get_namespace()
    services = _plain(node.get_service_names_and_types_by_node(name, space))
    goals = [one for one in services if "/_action/send_goal " in one]
    return {
        "publishes": _outside_actions(_plain(node.get_publisher_names_and_types_by_node(name, space))),
        "subscribes": _plain(node.get_subscriber_names_and_types_by_node(name, space)),
        "serves": _outside_actions(services),
        "actions": [one.replace("/_action/send_goal", "").removesuffix("_SendGoal") for one in goals],
        "parameters": sorted(one for one in node._parameters if not one.startswith("qos_overrides")),
    }


def _plain(pairs: Iterable[tuple[str, list[str]]]) -> list[str]:
    return sorted(
        f"{name.removeprefix(OWN)} {types[0]}"
        for name, types in pairs
        if name.rpartition("/")[2] not in OF_ROS
    )


def _outside_actions(names: Iterable[str]) -> list[str]:
    return [one for one in names if "/_action/" not in one]


def main() -> int:
    """Write or compare; returns the exit code."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    now = {
        "commands": commands(),
        "imports": imports(),
        "interfaces": interfaces(),
        "launch": launch_arguments(),
        "nodes": nodes(),
    }
    if not check:
        RESULT.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    before, after = set(_lines(json.loads(RESULT.read_text(encoding="utf-8")))), set(_lines(now))
    for line in sorted(before - after):
        print(f"gone: {line}")
    for line in sorted(after - before):
        print(f"new: {line}")
    return int(before != after)


def _lines(part: object, path: str = "") -> Iterator[str]:
    """Each name with where it is."""
    if isinstance(part, dict):
        for key, below in part.items():
            yield from _lines(below, f"{path} / {key}" if path else key)
    elif isinstance(part, list):
        yield path  # also of a command without options
        for one in part:
            yield f"{path} / {one}"


if __name__ == "__main__":
    sys.exit(main())
