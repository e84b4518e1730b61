# SPDX-License-Identifier: Apache-2.0
"""The executables of this package, by their names in launch files. Each makes one node.

A node is imported when it is made: a robot does not wait for the libraries of nodes that its launch file lacks.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Unpack

from embodiment_bridge.core.errors import BridgeError, ConfigError, unknown
from embodiment_bridge.launching.environment import find_share, of_outside_program
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.base.runtime import run
from embodiment_bridge.protocols import registry

if TYPE_CHECKING:
    from embodiment_bridge.nodes.sound.media_parameters import Surroundings

PACKAGE = "embodiment_bridge"
CANNOT_START = 2  # exit code, as of the command line


def agent_bridge(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node of a body of some protocol."""
    from embodiment_bridge.nodes.body.agent_bridge import AgentBridge

    return AgentBridge(registry.spec, **node_kwargs)


def behavior_tree(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that runs BML documents and plans of actions on a body."""
    from embodiment_bridge.nodes.tree.behavior_tree import BehaviorTree

    return BehaviorTree(partial(find_share, PACKAGE), _surroundings(), **node_kwargs)


def joint_driver(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node of a robot with Dynamixel servos."""
    from embodiment_bridge.nodes.body.joint_driver import JointDriver

    return JointDriver(**node_kwargs)


def media_player(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that plays sounds and speaks, beside the player in the behaviour tree."""
    from embodiment_bridge.nodes.sound.sound_player import SoundPlayer

    return SoundPlayer(_surroundings(), **node_kwargs)


def _surroundings() -> "Surroundings":
    from embodiment_bridge.nodes.sound.media_parameters import Surroundings

    return Surroundings(lambda: of_outside_program(os.environ), find_share)


def mock_body(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node of a mock body, which works without a simulator."""
    from embodiment_bridge.nodes.body.mock_body import MockBody

    return MockBody(partial(find_share, PACKAGE), **node_kwargs)


def mujoco_body(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node of a body that MuJoCo simulates in the node's own process."""
    from embodiment_bridge.nodes.mujoco.mujoco_body import MujocoBody

    return MujocoBody(partial(find_share, PACKAGE), **node_kwargs)


def soccer_monitor(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that watches a soccer server."""
    from embodiment_bridge.nodes.soccer.soccer_monitor import SoccerMonitor

    return SoccerMonitor(registry.spec, **node_kwargs)


def opencog_bridge(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that connects a body to an OpenCog OAC."""
    from embodiment_bridge.nodes.opencog.opencog_bridge import OpencogBridge

    return OpencogBridge(**node_kwargs)


def player(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that plays a recording."""
    from embodiment_bridge.nodes.bags.bag_playback import BagPlayback

    return BagPlayback(registry.inputs(), **node_kwargs)


def recorder(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that records the graph."""
    from embodiment_bridge.nodes.bags.bag_recorder import BagRecorder

    return BagRecorder(find_share, **node_kwargs)


def viewer(**node_kwargs: Unpack[NodeOptions]) -> BridgeNode:
    """Make the node that shows robots in a browser."""
    from embodiment_bridge.nodes.view.viewer import Viewer

    return Viewer(documents=_documents, **node_kwargs)


def _documents() -> dict[str, str]:
    """Return the BML documents of this package, by name."""
    folder = find_share(PACKAGE) / "config" / "bml"
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json"))}


EXECUTABLES: dict[str, Callable[..., BridgeNode]] = {
    "agent_bridge": agent_bridge,
    "behavior_tree": behavior_tree,
    "joint_driver": joint_driver,
    "media_player": media_player,
    "mock_body": mock_body,
    "mujoco_body": mujoco_body,
    "opencog_bridge": opencog_bridge,
    "player": player,
    "recorder": recorder,
    "soccer_monitor": soccer_monitor,
    "viewer": viewer,
}

# Executables that run in a process of their own, with its niceness: the viewer must not delay a robot, and the driver
# of servos must not wait for the work of other nodes or programs.
OWN_PROCESS = {"viewer": 10, "joint_driver": -10}
REAL_TIME = 10  # real-time priority of a negative niceness, if the system allows it (`ulimit -r`)


def node_factory(package: str, executable: str) -> Callable[..., BridgeNode]:
    """Return the function that makes the node of an executable.

    Raises:
        ConfigError: the executable is not of this package.
    """
    if package != PACKAGE:
        raise ConfigError(
            f"node of package {package!r}: one process holds nodes of {PACKAGE} only; use `ros2 launch`"
        )
    if executable not in EXECUTABLES:
        raise ConfigError(unknown(f"executable of {PACKAGE}", executable, EXECUTABLES))
    return EXECUTABLES[executable]


def main(executable: str) -> int:
    """Run one node, as `ros2 run embodiment_bridge EXECUTABLE` does; returns its exit code.

    What keeps it from starting is written to standard error in one line.
    """
    take_priority(executable)
    try:
        return run(EXECUTABLES[executable])
    except BridgeError as error:
        sys.stderr.write(f"{executable}: {error}\n")
        return CANNOT_START


def take_priority(executable: str) -> None:
    """Give this process the niceness of an executable. Call it before the process has threads.

    A negative niceness also asks for real-time scheduling, because niceness counts only among the programs of one
    session (Linux's autogroups). Either is left out if the system does not allow it.
    """
    wanted = OWN_PROCESS.get(executable, 0)
    if wanted >= 0:
        os.nice(wanted)
        return
    with suppress(PermissionError):
        os.nice(wanted)
    with suppress(PermissionError, AttributeError):  # AttributeError: the system does not have it
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME))
