# SPDX-License-Identifier: Apache-2.0
"""The parameter `breakpoints` of the behaviour-tree node: they may be set while documents run."""

from collections.abc import Callable, Iterable

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter as RosParameter

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.runs.bml_goal import MAX_BREAKPOINTS
from embodiment_bridge.nodes.tree.runs.performance import Performance
from embodiment_bridge.nodes.tree.runs.plan_goal import PlanPerformance


class Breakpoints:
    """Sets them in all ``runs()`` when the parameter changes.

    Raises:
        ConfigError: there are too many.
    """

    def __init__(self, node: BridgeNode, runs: Callable[[], Iterable[Performance | PlanPerformance]]) -> None:
        self._node = node
        self._runs = runs
        if len(self.names()) > MAX_BREAKPOINTS:
            raise ConfigError(f"parameter breakpoints has more than {MAX_BREAKPOINTS} names")
        node.add_on_set_parameters_callback(self._set)

    def names(self) -> set[str]:
        """The breakpoints of the node; goals may have their own beside them."""
        return {name for name in self._node.get_parameter("breakpoints").value if name}

    def destroy(self) -> None:
        """Stop listening."""
        self._node.remove_on_set_parameters_callback(self._set)

    def _set(self, parameters: list[RosParameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name != "breakpoints":
                continue
            names = {name for name in parameter.value or () if name}
            if len(names) > MAX_BREAKPOINTS:
                text = f"{len(names)} breakpoints; there may be {MAX_BREAKPOINTS}"
                return SetParametersResult(successful=False, reason=text)
            for performance in self._runs():
                performance.run.set_breakpoints({*names, *performance.breakpoints})
        return SetParametersResult(successful=True)
