# SPDX-License-Identifier: Apache-2.0
"""What a runtime has served is off the graph once it has ended, and not when Python collects its garbage."""

import gc

import pytest
from graph_stage import SUCCEEDED
from mock_node_stage import FAST, Mock
from rclpy.node import Node
from waiting import spin_until

from embodiment_bridge.nodes.base.runtime import Runtime


@pytest.fixture
def no_collection():
    gc.disable()
    yield
    gc.enable()


def test_nodes_are_gone_when_the_runtime_has_ended(no_collection) -> None:
    with Runtime() as outside:
        looker = outside.add(Node("looker", context=outside.context))

        def others() -> set[str]:
            found = looker.get_node_names_and_namespaces()
            return {name for name, space in found if space == "/ended"}

        def until_others_are(names: set[str]) -> None:
            spin_until(outside, lambda: others() == names, others)

        with Runtime() as runtime:
            mock = Mock(runtime, "/ended", **FAST)
            mock.join()
            assert mock.did("eye_wink") == (SUCCEEDED, "")
            until_others_are({"mock_body", "behavior_tree", "watcher"})
            mock.close()
        until_others_are(set())
