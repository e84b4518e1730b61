# SPDX-License-Identifier: Apache-2.0
"""What lives as long as the process is kept out of garbage collection, once it is all there."""

import gc

import pytest
from rclpy.parameter import Parameter

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime


@pytest.fixture
def runtime():
    gc.unfreeze()  # what was collected is frozen, and other tests may have settled
    with Runtime() as made:
        yield made
    gc.freeze()  # as it was


def add(runtime, name, autostart):
    overrides = [Parameter("autostart", value=autostart)]
    return runtime.add(BridgeNode(name, (), parameter_overrides=overrides, context=runtime.context))


def test_nothing_is_kept_while_a_node_is_not_active(runtime) -> None:
    add(runtime, "idle", autostart=False)
    runtime.settle()
    assert gc.get_freeze_count() == 0


def test_all_is_kept_when_the_last_node_is_active(runtime) -> None:
    first, last = add(runtime, "first", autostart=True), add(runtime, "last", autostart=False)
    runtime.spin(lambda: first.active)
    runtime.settle()
    assert gc.get_freeze_count() == 0
    last.trigger_configure()
    last.trigger_activate()
    runtime.settle()
    assert gc.get_freeze_count() > 1000


def test_it_is_done_once(runtime) -> None:
    runtime.settle()
    gc.unfreeze()
    runtime.settle()
    assert gc.get_freeze_count() == 0
