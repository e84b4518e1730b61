# SPDX-License-Identifier: Apache-2.0
"""A runtime closes every node at its end, whatever one of them does; what lives long is not garbage-collected."""

import gc

import pytest
from rclpy.parameter import Parameter

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import UNSAFE, Runtime


class Ending(BridgeNode):
    """A node that notes when it is closed and when it is destroyed; with an ``error`` its first close fails."""

    def __init__(self, name, told, context, error=None):
        super().__init__(name, (), context=context)
        self._told, self._error = told, error

    def close(self):
        self._told.append(f"close {self.get_name()}")
        error, self._error = self._error, None
        if error:
            raise error
        super().close()

    def destroy_node(self):
        self._told.append(f"destroy {self.get_name()}")
        super().destroy_node()


def test_one_that_cannot_be_closed_keeps_no_other_from_it(capfd):
    told, runtime = [], Runtime()
    faults = {"a": None, "b": ValueError("no goal"), "c": OSError("no port"), "d": None}
    for name, fault in faults.items():
        runtime.add(Ending(name, told, runtime.context, fault))
    with pytest.raises(ValueError, match="no goal"), runtime:
        pass
    written = capfd.readouterr().err
    assert all(f"the body may not be safe: {fault!r}" in written for fault in faults.values() if fault)
    assert told[:4] == ["close d", "close c", "close b", "close a"]
    assert [step for step in told if step.startswith("destroy")] == [f"destroy {name}" for name in "dcba"]
    assert runtime.exit_code == UNSAFE
    assert not runtime.context.ok()


def test_all_well():
    told = []
    with Runtime() as runtime:
        runtime.add(Ending("a", told, runtime.context))
    assert told[:2] == ["close a", "destroy a"]
    assert runtime.exit_code == 0


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
