# SPDX-License-Identifier: Apache-2.0
"""The actions, services and topics of the README are on the graph of the default robot, with their types."""

import re
from pathlib import Path

from rclpy.action import get_action_names_and_types
from run_stage import RunStage

from embodiment_bridge.nodes.base.runtime import Runtime

README = (Path(__file__).parents[2] / "README.md").read_text()
NOT_ON_MOCK = {"beam", "control_msgs/FollowJointTrajectory"}


def rows(after: str) -> list[list[str]]:
    table = re.search(r"(?:^\|.*\n)+", README[README.index(after) :], re.MULTILINE)[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def test_what_reaches_a_robot_is_there_with_its_type() -> None:
    with Runtime() as runtime:
        stage = RunStage(runtime, "/readme", sound="null", speech="none")
        stage.join()
        node = stage.watcher
        tables = {
            "": node.get_topic_names_and_types,
            "action ": lambda: get_action_names_and_types(node),
            "service ": node.get_service_names_and_types,
        }
        wanted = []
        for row in rows("A brain commands the robot by these"):
            names, types = re.findall(r"`([^`]+)`", row[0]), row[1].split(", ")
            if NOT_ON_MOCK & {*names, row[1].removeprefix("action ")}:
                continue
            kind = next((kind for kind in tables if kind and row[1].startswith(kind)), "")
            package = ""
            for place, name in enumerate(names):
                text = types[min(place, len(types) - 1)].removeprefix(kind).split(" ")[0].strip("`")
                package, text = text.split("/") if "/" in text else (package, text)
                if names[0].startswith("behavior_tree/"):
                    name = f"behavior_tree/{name.removeprefix('behavior_tree/')}"
                wanted.append((kind, f"/readme/{name}", package, text))

        def missing() -> list:
            found = {kind: dict(ask()) for kind, ask in tables.items()}
            return [
                one
                for one in wanted
                if not any(
                    kind.startswith(one[2]) and kind.endswith(f"/{one[3]}")
                    for kind in found[one[0]].get(one[1], ())
                )
            ]

        assert len(wanted) > 15
        stage.until(lambda: not missing())
        stage.close()
