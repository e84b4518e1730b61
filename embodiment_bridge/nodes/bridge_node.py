# SPDX-License-Identifier: Apache-2.0
"""What all nodes of this package have in common: lifecycle, parameters, diagnostics, clear failures."""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from embodiment_bridge.errors import BridgeError
from embodiment_bridge.nodes.parameters import declare
from embodiment_bridge.nodes.qos import profile
from embodiment_bridge.protocols.contract import Parameter

AUTOSTART = Parameter("autostart", True, "Configure and activate at once, so that a plain `ros2 run` works.")


class BridgeNode(LifecycleNode):
    """A lifecycle node with declared parameters, ``autostart`` and 1 Hz diagnostics.

    Subclasses fill in ``configure``, ``activate``, ``deactivate``, ``cleanup`` and ``diagnose``. A ``BridgeError`` in
    configure or activate fails that transition with one logged line and leaves the process running.
    """

    def __init__(self, name: str, parameters: Sequence[Parameter], **node_kwargs: Any) -> None:
        super().__init__(name, **node_kwargs)
        self._declared = [AUTOSTART, *parameters]
        self.values: dict[str, Any] = {}
        self.active = False
        self.refused = False  # whether the last configure or activate failed
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", profile("state"))
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # these two go on when simulated time stands still
        self.create_timer(1.0, self._publish_diagnostics, clock=steady)
        self._starter = self.create_timer(0.0, self._start, clock=steady)

    def _start(self) -> None:
        self._starter.cancel()
        try:
            autostart = declare(self, [AUTOSTART])[AUTOSTART.name]
        except BridgeError as error:
            self.get_logger().error(str(error))
            return
        if autostart and self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def configure(self) -> None:
        """Build what the parameters (``self.values``) say."""

    def activate(self) -> None:
        """Open the link, enable the joints."""

    def deactivate(self) -> None:
        """Make safe and close; must not raise."""

    def cleanup(self) -> None:
        """Release what ``configure`` built; must not raise."""

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """(level of DiagnosticStatus, one line, values)."""
        return DiagnosticStatus.OK, "active" if self.active else "inactive", {}

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle transition; see ``configure``."""
        try:
            self.values = declare(self, self._declared)
            self.configure()
        except BridgeError as error:
            self.get_logger().error(f"not configured: {error}")
            self.refused = True
            return TransitionCallbackReturn.FAILURE
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle transition; see ``activate``."""
        self.active, self.refused = True, False
        try:
            self.activate()
        except BridgeError as error:
            self.active, self.refused = False, True
            self.get_logger().error(f"not activated: {error}")
            return TransitionCallbackReturn.FAILURE
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle transition; see ``deactivate``."""
        self.active = False
        self.deactivate()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle transition; see ``cleanup``."""
        self.cleanup()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Lifecycle transition: make safe, then release."""
        self.close()
        return super().on_shutdown(state)

    def close(self) -> None:
        """Make safe before the process ends, whatever the state."""
        if self.active:
            self.active = False
            self.deactivate()

    def _publish_diagnostics(self) -> None:
        level, message, values = self.diagnose()
        status = DiagnosticStatus(level=level, name=self.get_fully_qualified_name(), message=message)
        status.values = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)
