# SPDX-License-Identifier: Apache-2.0
"""The executables of this package, as launch files name them: each makes one node."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from embodiment_bridge.core.errors import BridgeError, ConfigError, unknown
from embodiment_bridge.launching.environment import of_outside_program
from embodiment_bridge.launching.shares import find_share
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.main import run
from embodiment_bridge.nodes.body.agent_bridge import AgentBridge
from embodiment_bridge.nodes.body.joint_driver import JointDriver
from embodiment_bridge.nodes.body.mock_body import MockBody
from embodiment_bridge.nodes.soccer.soccer_monitor import SoccerMonitor
from embodiment_bridge.nodes.sound.media_parameters import Surroundings
from embodiment_bridge.nodes.tree.behavior_tree import BehaviorTree
from embodiment_bridge.protocols import registry

PACKAGE = "embodiment_bridge"
CANNOT_START = 2  # exit code, as of the command line


def agent_bridge(**node_kwargs: Any) -> BridgeNode:
    """A body of some protocol."""
    return AgentBridge(registry.spec, **node_kwargs)


def behavior_tree(**node_kwargs: Any) -> BridgeNode:
    """The node that runs BML documents and plans of actions on a body."""
    return BehaviorTree(partial(find_share, PACKAGE), _surroundings(), **node_kwargs)


def joint_driver(**node_kwargs: Any) -> BridgeNode:
    """A robot of Dynamixel servos."""
    return JointDriver(**node_kwargs)


def media_player(**node_kwargs: Any) -> BridgeNode:
    """What plays and speaks by itself."""
    from embodiment_bridge.nodes.sound.sound_player import (
        MediaPlayer,  # only who asks for it needs a player beside the tree's own
    )

    return MediaPlayer(_surroundings(), **node_kwargs)


def _surroundings() -> Surroundings:
    return Surroundings(lambda: of_outside_program(os.environ), find_share)


def mock_body(**node_kwargs: Any) -> BridgeNode:
    """A body that needs no simulator."""
    return MockBody(partial(find_share, PACKAGE), **node_kwargs)


def soccer_monitor(**node_kwargs: Any) -> BridgeNode:
    """What watches a soccer server."""
    return SoccerMonitor(registry.spec, **node_kwargs)


def opencog_bridge(**node_kwargs: Any) -> BridgeNode:
    """What makes a body that of an OpenCog OAC."""
    from embodiment_bridge.nodes.opencog.opencog_bridge import (
        OpencogBridge,  # its XML reader is for nobody else
    )

    return OpencogBridge(**node_kwargs)


def player(**node_kwargs: Any) -> BridgeNode:
    """What plays a recording."""
    from embodiment_bridge.nodes.bags.bag_player import Player  # the reader of bags is for nobody else

    return Player(**node_kwargs)


def recorder(**node_kwargs: Any) -> BridgeNode:
    """What records the graph."""
    from embodiment_bridge.nodes.bags.bag_recorder import Recorder  # the writer of bags is for nobody else

    return Recorder(find_share, **node_kwargs)


def viewer(**node_kwargs: Any) -> BridgeNode:
    """What shows robots in a browser."""
    from embodiment_bridge.nodes.view.viewer import Viewer  # the server of the page is for nobody else

    return Viewer(**node_kwargs)


EXECUTABLES: dict[str, Callable[..., BridgeNode]] = {
    "agent_bridge": agent_bridge,
    "behavior_tree": behavior_tree,
    "joint_driver": joint_driver,
    "media_player": media_player,
    "mock_body": mock_body,
    "opencog_bridge": opencog_bridge,
    "player": player,
    "recorder": recorder,
    "soccer_monitor": soccer_monitor,
    "viewer": viewer,
}

# What is a process of its own, and its niceness: what only looks must not delay a robot, and what drives one must not
# wait for what brains ask for, nor for other programs.
ASIDE = {"viewer": 10, "joint_driver": -10}
REAL_TIME = 10  # priority of what has a negative niceness, where the system allows that (`ulimit -r`)


def node_factory(package: str, executable: str) -> Callable[..., BridgeNode]:
    """What makes the node of an executable.

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
    """What `ros2 run embodiment_bridge EXECUTABLE` runs; what keeps it from starting is said in one line."""
    take_priority(executable)
    try:
        return run(EXECUTABLES[executable])
    except BridgeError as error:
        sys.stderr.write(f"{executable}: {error}\n")
        return CANNOT_START


def take_priority(executable: str) -> None:
    """Give this process, before it has threads, the niceness of an executable.

    What shall not wait is scheduled in real time where the system allows it, else it has the niceness where that is
    allowed: niceness counts only among the programs of one session (Linux's autogroups).
    """
    wanted = ASIDE.get(executable, 0)
    if wanted >= 0:
        os.nice(wanted)
        return
    with suppress(PermissionError):
        os.nice(wanted)
    with suppress(PermissionError, AttributeError):  # AttributeError: not on this system
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME))
