# SPDX-License-Identifier: Apache-2.0
"""A mistake of ours in a transition is told, though rclpy says nothing of it, and leaves no body driven."""

import pytest
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

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
