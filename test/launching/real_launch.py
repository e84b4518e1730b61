# SPDX-License-Identifier: Apache-2.0
"""What the real ROS 2 launch would start for a launch file: found without starting anything.

Needs the packages launch, launch_xml and launch_ros of a ROS 2 installation. As a program it writes the
values that ``test_bringup.py`` expects: ``python test/launching/real_launch.py``.
"""

import os
import tempfile
from pathlib import Path

from launch_cases import CASES, ENVIRONMENT, HERE, as_json, make_prefix, words_as_data


def start_list(path, arguments, prefix, environment):
    """What launch would start, in the form of ``plan_as_data``.

    ``prefix`` is an ament prefix that has what the file names; ``environment`` holds meanwhile.
    """
    from launch.actions import ExecuteLocal, IncludeLaunchDescription
    from launch.launch_description_sources import AnyLaunchDescriptionSource

    from launch import LaunchContext

    found = {"nodes": [], "executables": [], "log": []}
    original, before = ExecuteLocal.execute, dict(os.environ)
    ExecuteLocal.execute = lambda action, context: _take(action, context, found, environment)
    try:
        os.environ.clear()
        os.environ.update(environment)
        os.environ["AMENT_PREFIX_PATH"] = os.pathsep.join([str(prefix), before["AMENT_PREFIX_PATH"]])
        source = AnyLaunchDescriptionSource(str(path))
        whole = IncludeLaunchDescription(source, launch_arguments=list(arguments.items()))
        _visit(whole, LaunchContext(), found)
    finally:
        ExecuteLocal.execute = original
        os.environ.clear()
        os.environ.update(before)
    return found


def _visit(entity, context, found):
    """Go through a launch description as LaunchService does."""
    from launch.actions import LogInfo

    context._push_locals()
    if isinstance(entity, LogInfo) and (entity.condition is None or entity.condition.evaluate(context)):
        found["log"].append(_text(context, entity.msg))
    for child in entity.visit(context) or ():
        _visit(child, context, found)
    context._pop_locals()


def _take(action, context, found, environment):
    """Note a process in place of starting it."""
    from launch_ros.actions import Node

    action.prepare(context)
    process = action.process_description
    changes = {name: None for name in environment if name not in process.final_env}
    changes.update((k, v) for k, v in process.final_env.items() if environment.get(k) != v)
    changes.pop("AMENT_PREFIX_PATH", None)
    common = {"env": changes, "output": _text(context, action.output)}
    if isinstance(action, Node):
        package, executable = _text(context, action.node_package), _text(context, action.node_executable)
        words = words_as_data(process.final_cmd[1:])
        found["nodes"].append({"package": package, "executable": executable, "words": words, **common})
    else:
        name = process.final_name.rpartition("-")[0]  # launch appends a running number
        found["executables"].append(
            {"cmd": process.final_cmd, "name": name, "cwd": process.final_cwd, **common}
        )


def _text(context, substitutions):
    return "".join(context.perform_substitution(part) for part in substitutions)


def write_expected():
    """Write the expected values of all cases."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = make_prefix(Path(folder) / "prefix")
        for name, (path, arguments) in CASES.items():
            file = prefix / "share" / "embodiment_bridge" / path
            data = start_list(file, arguments, prefix, ENVIRONMENT)
            (HERE / "expected" / f"{name}.json").write_text(as_json(data, prefix), encoding="utf-8")


if __name__ == "__main__":
    write_expected()
