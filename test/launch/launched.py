# SPDX-License-Identifier: Apache-2.0
"""bringup.launch.xml under ROS's own launch: a document moves the body, and all processes end well.

Importing this skips the test where launch_testing is not installed. Its plugin needs a pytest below 9.
"""

import asyncio
import atexit
import json
import os
import socket
import sys
import time
import unittest
from pathlib import Path

import pytest
from waiting import GRAPH, spin_until

from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient

launch_testing = pytest.importorskip("launch_testing", reason="launch_testing is not installed")
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable  # noqa: E402
from launch.launch_description_sources import AnyLaunchDescriptionSource  # noqa: E402
from launch_ros.substitutions import FindPackageShare  # noqa: E402
from launch_testing.actions import ReadyToTest  # noqa: E402

from launch import LaunchDescription  # noqa: E402

HEAD_SHAKE = json.dumps({"type": "body", "action": "HEAD_SHAKE"})


def make_event_loop():
    """Give this thread an event loop that is closed in the end; launch would make one and leave it open."""
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    asyncio.set_event_loop(loop)


def describe(**arguments):
    """The launch description of bringup.launch.xml of the installed package with these arguments."""
    make_event_loop()
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    file = [FindPackageShare("embodiment_bridge"), "/launch/bringup.launch.xml"]
    return LaunchDescription(
        [
            SetEnvironmentVariable("PATH", beside),  # for a virtual environment that is not activated
            IncludeLaunchDescription(AnyLaunchDescriptionSource(file), launch_arguments=arguments.items()),
            ReadyToTest(),
        ]
    )


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


class WhileItRuns(unittest.TestCase):
    """What holds for every body."""

    @classmethod
    def setUpClass(cls):
        make_event_loop()  # tests have a thread of their own

    def setUp(self):
        self.runtime = Runtime()
        self.addCleanup(self.runtime.__exit__, None, None, None)
        self.watcher = self.runtime.add(Watcher(context=self.runtime.context))
        self.bml = BmlClient(self.watcher, lambda _: None)
        self.addCleanup(self.bml.destroy)

    def until(self, condition):
        spin_until(self.runtime, condition)
        assert condition(), f"link {self.watcher.link}: {self.watcher.reason}"

    def run_document(self):
        """The result; asked for again while the tree has not yet heard what the body can do."""
        deadline = time.monotonic() + GRAPH
        while time.monotonic() < deadline:
            self.bml.send(HEAD_SHAKE, source="test")
            self.until(lambda: self.bml.result is not None)
            if "no body has published its skills" not in self.bml.result.reason:
                break
        return self.bml.result

    def test_body_joins_and_moves(self):
        watcher = self.watcher
        self.until(lambda: watcher.link == "ready" and watcher.percepts > 10 and self.bml.server_is_there)
        result = self.run_document()
        assert (result.outcome, result.reason) == ("SUCCEEDED", "")


@launch_testing.post_shutdown_test()
class AfterTheEnd(unittest.TestCase):
    """``processes``: how many there were."""

    processes = 0

    def test_all_processes_ended_well(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
        assert len(list(proc_info)) == self.processes
