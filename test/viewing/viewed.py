# SPDX-License-Identifier: Apache-2.0
"""A mock body, its tree, and a viewer of it."""

import threading
from pathlib import Path

from embodiment_bridge.msg import Feelings
from rclpy.node import Node
from rclpy.parameter import Parameter
from waiting import GRAPH, until

from embodiment_bridge.launching.executables import behavior_tree, viewer
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.mock_body import MockBody
from embodiment_bridge.nodes.tree.bml_client import BmlClient

ROOT = Path(__file__).parents[2]


class Viewed:
    """A mock body with a tree, and a viewer of it, served by a thread."""

    def __init__(self, runtime):
        self.runtime = runtime
        common = {"context": runtime.context, "namespace": "shown"}
        runtime.add(MockBody(lambda: ROOT, **common))
        runtime.add(behavior_tree(**common))
        self.viewer = runtime.add(viewer(parameter_overrides=[Parameter("port", value=0)], **common))
        self.brain = runtime.add(Node("brain", **common))
        self.bml = BmlClient(self.brain, lambda _: None)
        self.feelings = self.brain.create_publisher(Feelings, "feelings", profile("latched"))
        self._done = threading.Event()
        self._thread = threading.Thread(target=runtime.spin, args=(self._done.is_set,))

    def __enter__(self):
        self._thread.start()
        self.until(lambda: self.viewer.url)
        self.call(lambda: None)  # the activation that made the page has ended: the robot has its view
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def call(self, function):
        """On the executor's thread, where the services of nodes call: nodes are for that thread only."""
        task = self.runtime.executor.create_task(function)
        self.until(task.done)
        return task.result()

    def until(self, condition):
        until(condition, patience=GRAPH)
