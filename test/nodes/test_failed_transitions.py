# SPDX-License-Identifier: Apache-2.0
"""What transitions leave behind.

A mistake of ours is told, though rclpy says nothing of it, and leaves no body driven; a cleanup leaves nothing on the
graph.
"""

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger

from embodiment_bridge.nodes.base.action_server import DeferredActionServer
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime

SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class Clumsy(BridgeNode):
    """Raises in the step of the name ``wrong``."""

    def __init__(self, wrong: str, runtime: Runtime) -> None:
        off = [Parameter("autostart", value=False)]
        super().__init__("clumsy", (), context=runtime.context, parameter_overrides=off)
        self.wrong = wrong
        self.done: list[str] = []

    def _do(self, step: str) -> None:
        self.done.append(step)
        if step == self.wrong:
            raise KeyError("a mistake")

    def configure(self) -> None:
        self._do("configure")

    def activate(self) -> None:
        self._do("activate")

    def deactivate(self) -> None:
        self._do("deactivate")

    def cleanup(self) -> None:
        self._do("cleanup")


def test_a_mistake_in_configure_is_told_and_it_can_be_configured_later(capfd) -> None:
    with Runtime() as runtime:
        node = runtime.add(Clumsy("configure", runtime))
        assert node.trigger_configure() == FAILURE
        assert node.refused
        told = capfd.readouterr().err
        assert "Traceback" in told
        assert "not configured: KeyError('a mistake')" in told
        node.wrong = ""
        assert node.trigger_configure() == SUCCESS
        assert not node.refused


def test_after_a_mistake_in_activate_the_body_is_made_safe(capfd) -> None:
    with Runtime() as runtime:
        node = runtime.add(Clumsy("activate", runtime))
        assert node.trigger_configure() == SUCCESS
        assert node.trigger_activate() == FAILURE
        assert (node.active, node.done) == (False, ["configure", "activate", "deactivate"])
        told = capfd.readouterr().err
        assert "Traceback" in told
        assert "not activated: KeyError('a mistake')" in told
        node.wrong = ""
        assert node.trigger_activate() == SUCCESS


@pytest.mark.parametrize("step", ["deactivate", "cleanup"])
def test_a_mistake_at_the_end_is_told(step: str, capfd) -> None:
    with Runtime() as runtime:
        node = runtime.add(Clumsy(step, runtime))
        assert node.trigger_configure() == SUCCESS
        assert node.trigger_activate() == SUCCESS
        node.trigger_deactivate()
        if step == "cleanup":
            node.trigger_cleanup()
        assert node.guard.last == f"{step}: KeyError: 'a mistake'"
        assert "Traceback" in capfd.readouterr().err
        node.wrong = ""


class Builder(BridgeNode):
    """Puts one of each kind on the graph when it is configured, and destroys none of them."""

    def __init__(self, runtime: Runtime) -> None:
        off = [Parameter("autostart", value=False)]
        super().__init__("builder", (), context=runtime.context, parameter_overrides=off)

    def configure(self) -> None:
        self.create_publisher(String, "said", 1)
        self.create_subscription(String, "heard", print, 1)
        self.create_service(Trigger, "asked", lambda _, response: response)
        self.create_client(Trigger, "asking")
        self.create_timer(100.0, print)
        DeferredActionServer(self, ExecuteSkill, "acted", print, print)

    def activate(self) -> None:
        self.create_timer(200.0, print)

    def entities(self) -> list[set[int]]:
        kinds = (
            self.publishers,
            self.subscriptions,
            self.services,
            self.clients,
            self.timers,
            self.waitables,
        )
        return [set(map(id, kind)) for kind in kinds]


def test_a_cleanup_leaves_nothing_on_the_graph_but_what_was_there_before() -> None:
    with Runtime() as runtime:
        node = runtime.add(Builder(runtime))
        before = node.entities()
        for _ in range(2):
            assert node.trigger_configure() == SUCCESS
            assert all(now > then for now, then in zip(node.entities(), before, strict=True))
            assert node.trigger_activate() == SUCCESS
            assert node.trigger_deactivate() == SUCCESS
            assert node.trigger_cleanup() == SUCCESS
            assert node.entities() == before
        assert node.count_publishers("said") == 0


def test_a_cleanup_leaves_the_clock_that_was_chosen_after_configure() -> None:
    with Runtime() as runtime:
        node = runtime.add(Builder(runtime))
        assert node.trigger_configure() == SUCCESS
        node.set_parameters([Parameter("use_sim_time", value=True)])
        assert node.count_subscribers("/clock") == 1
        assert node.trigger_cleanup() == SUCCESS
        assert node.count_subscribers("/clock") == 1
        node.set_parameters([Parameter("use_sim_time", value=False)])
        assert node.count_subscribers("/clock") == 0
