# SPDX-License-Identifier: Apache-2.0
"""The base class of all nodes of this package.

Lifecycle, parameters, diagnostics, clear failures; a cleanup removes from the graph what configure added.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Unpack

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidParameterTypeException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.publisher import Publisher
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from rclpy.waitable import Waitable
from rosgraph_msgs.msg import Clock as ClockMessage

from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.base.action_server import ActionTwins
from embodiment_bridge.nodes.base.clock_watch import SILENT, ClockWatch
from embodiment_bridge.nodes.base.executor import CallbackGuard
from embodiment_bridge.nodes.base.parameters import NodeOptions, declare, refuse_slips, tell_unread
from embodiment_bridge.nodes.base.qos import overrides_of, profile

# Waitables come last: events of a publisher are waitables too, and end with it.
FAULT: Final = "an exception in the node, see its log"
_KINDS: Final = ("publishers", "subscriptions", "services", "clients", "timers", "waitables")


class GraphEntities:
    """Remembers the publishers, services, actions and timers of a node, to remove those that are added later."""

    def __init__(self, node: Node) -> None:
        self._node = node
        # With the objects, so that no new one can get the id of one that was destroyed meanwhile.
        self._before = {id(one): one for kind in _KINDS for one in getattr(node, kind)}

    def take_off_new(self) -> None:
        """Destroy everything that was added since, but rclpy's own subscription to /clock."""
        node = self._node
        for kind in _KINDS[:-1]:
            destroy = getattr(node, f"destroy_{kind[:-1]}")
            for one in self._new(kind):
                if kind != "subscriptions" or one.msg_type is not ClockMessage:
                    destroy(one)
        for action in self._new("waitables"):
            if hasattr(action, "destroy"):
                action.destroy()

    def _new(self, kind: str) -> list[Any]:
        return [one for one in getattr(self._node, kind) if id(one) not in self._before]


NOT_CONFIGURED, NOT_ACTIVATED = "not configured: ", "not activated: "
CANNOT = (BridgeError, OSError, MemoryError)  # OSError: a full disk, no descriptor left
REFUSALS = (NOT_CONFIGURED, NOT_ACTIVATED)  # beginning of the reason in the log and in /diagnostics
AUTOSTART = Parameter("autostart", True, "Configure and activate at once, so that a plain `ros2 run` works.")


class BridgeNode(LifecycleNode):
    """Implements a lifecycle node with declared parameters, ``autostart`` and 1 Hz diagnostics.

    Subclasses fill in ``configure``, ``activate``, ``deactivate``, ``cleanup`` and ``diagnose``. A ``BridgeError`` in
    configure or activate, a full disk and a lack of descriptors or memory fail that transition with one line in the
    log and in /diagnostics, and leave the process running; a configure that failed, and a cleanup, remove what
    configure had put on the graph. Any other exception there does the same, with its traceback in the log, and is
    followed by a deactivate after an activate. The QoS of each publisher and subscription can be overridden.
    Exceptions in callbacks are logged and counted (``guard``); messages of /clock are checked
    (``clock_watch``), unless they are taken as bytes.
    """

    _began = False  # rclpy creates topics of its own before parameters can be declared

    def __init__(
        self, name: str, parameters: Sequence[Parameter], **node_kwargs: Unpack[NodeOptions]
    ) -> None:
        self.guard = CallbackGuard(self._log_error)  # rclpy creates services and /clock in its own __init__
        self.clock_watch = ClockWatch(self._log_error)
        super().__init__(name, **node_kwargs)
        self._twins = ActionTwins(self)
        self._began = True
        self._configured = False
        self._declared = [AUTOSTART, *parameters]
        self._changeable = {one.name for one in parameters if not one.fixed}
        self.add_on_set_parameters_callback(self._refuse_too_late)
        self.values: dict[str, Any] = {}
        self.active = False
        self._why_refused = ""
        self.refused = False  # true if the last configure or activate failed
        self.not_started = ""  # why autostart did not reach activation; empty if it did
        self.unsafe = False  # true if the last close could not confirm that the body is safe
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", profile("state"))
        # timers on it go on when simulated time stands still
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(1.0, self._publish_diagnostics, clock=steady)
        self._starter = self.create_timer(0.0, self._start, clock=steady)

    @property
    def begun(self) -> bool:
        """Whether autostart has had its turn, well or not."""
        cancelled: bool = self._starter.is_canceled()
        return cancelled

    def _start(self) -> None:
        self._starter.cancel()
        try:
            autostart = declare(self, [AUTOSTART])[AUTOSTART.name]
        except BridgeError as error:
            self.get_logger().error(str(error))
            self.not_started = str(error)
            return
        if autostart and self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()
        if self.refused:
            self.not_started = self._why_refused

    def seconds(self) -> float:
        """Return simulated time where the node uses that, s, without jumps; else the steady clock, which nobody sets.

        For durations and deadlines, not for stamps.
        """
        clock = self.get_clock()
        if not clock.ros_time_is_active:
            return time.monotonic()
        return float(clock.now().nanoseconds) * 1e-9 - self.clock_watch.skipped

    @property
    def stands_still(self) -> str:
        """Why the time of this node stands still; empty while it does not, as far as is known."""
        return SILENT if self.get_clock().ros_time_is_active and self.clock_watch.silent else ""

    @property
    def inactive(self) -> str:
        """The reason why requests are refused while the node is not active; empty while it is."""
        return "" if self.active else f"{self.get_name()} is inactive; activate it first"

    def configure(self) -> None:
        """Build the parts of the node from the parameters (``self.values``)."""

    def activate(self) -> None:
        """Open the link, enable the joints."""

    def deactivate(self) -> None:
        """Make the body safe and close the link; must not raise."""

    def cleanup(self) -> None:
        """Release what ``configure`` built but is not on the graph, such as threads; must not raise."""

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the level of DiagnosticStatus, one line of text, and values."""
        return DiagnosticStatus.OK, "active" if self.active else "inactive", {}

    def create_publisher(self, msg_type: Any, topic: str, qos_profile: Any, **options: Any) -> Publisher:
        """Create a publisher. The QoS can be overridden, unless ``qos_overriding_options`` says otherwise.

        Raises:
            ConfigError: an override is not a QoS.
        """
        return self._make(super().create_publisher, "publisher", topic, options, msg_type, topic, qos_profile)

    def create_subscription(
        self, msg_type: Any, topic: str, callback: Any, qos_profile: Any, **options: Any
    ) -> Subscription:
        """Create a subscription with such a QoS; an exception in the callback ends only that call."""
        if msg_type is ClockMessage and not options.get("raw"):
            callback = self.clock_watch.checked(callback)
        callback = self.guard.wrap(callback, f"topic {topic}")
        make = super().create_subscription
        return self._make(make, "subscription", topic, options, msg_type, topic, callback, qos_profile)

    def create_timer(self, timer_period_sec: float, callback: Any, *others: Any, **options: Any) -> Timer:
        """Create a timer; an exception in the callback ends only that call."""
        return super().create_timer(timer_period_sec, self.guard.wrap(callback, "timer"), *others, **options)

    def create_service(self, srv_type: Any, srv_name: str, callback: Any, **options: Any) -> Service:
        """Create a service; if the callback raises, the response says so if its type has the fields."""
        guarded = self.guard.wrap(callback, f"service {srv_name}", _report_exception)
        return super().create_service(srv_type, srv_name, guarded, **options)

    def add_waitable(self, waitable: Waitable) -> None:
        """Guard the waitables of actions: bad data from the graph can make rclpy itself raise."""
        waitable.execute = self.guard.wrap(waitable.execute, type(waitable).__name__)
        super().add_waitable(waitable)

    def _refuse(self, how: str, error: Exception) -> None:
        known = isinstance(error, CANNOT)
        if not known:
            self.guard.note(error, how.removesuffix(": "))
        reason = how + (str(error) if known and str(error) else repr(error))
        self.get_logger().error(reason)
        self.refused, self._why_refused = True, reason

    def _noted(self, step: Callable[[], object], what: str) -> None:
        """Do a step of a transition; rclpy catches an exception in it, and says nothing."""
        try:
            step()
        except Exception as error:
            self.guard.note(error, what)
            raise

    def _log_error(self, text: str) -> None:
        self.get_logger().error(text)

    def _refuse_too_late(self, parameters: list[RosParameter]) -> SetParametersResult:
        for one in parameters:
            if self._configured and one.name in self.values and one.name not in self._changeable:
                reason = (
                    f"parameter {one.name} is read when {self.get_name()} is configured: clean it up before"
                )
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _make(
        self, create: Callable[..., Any], kind: str, topic: str, options: dict[str, Any], *arguments: Any
    ) -> Any:
        if not self._began:
            return create(*arguments, **options)
        if (
            options.get("qos_overriding_options", self) is not None
        ):  # rclpy asks for some of its own, for /clock
            given = self._parameter_overrides
            options["qos_overriding_options"] = overrides_of(self.resolve_topic_name(topic), kind, given)
        try:
            return create(*arguments, **options)
        except (RuntimeError, InvalidParameterTypeException) as error:
            raise ConfigError(f"topic {topic}: {error}") from error

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Configure, as a lifecycle transition; see ``configure``."""
        self._entities = GraphEntities(self)
        try:
            self.values = declare(self, self._declared)
            refuse_slips(self._parameter_overrides, self._declared)
            self.configure()
            self._configured, self.refused = True, False
            tell_unread(self, self._parameter_overrides)
        except Exception as error:  # noqa: BLE001 - it is told
            self._refuse(NOT_CONFIGURED, error)
            return TransitionCallbackReturn.FAILURE
        finally:
            if not self._configured:
                self._entities.take_off_new()
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate, as a lifecycle transition; see ``activate``."""
        self.active, self.refused = True, False
        try:
            self.activate()
        except Exception as error:  # noqa: BLE001 - it is told
            self.active = False
            self._refuse(NOT_ACTIVATED, error)
            if not isinstance(error, CANNOT):  # its progress is unknown, and joints may be driven
                self.guard.wrap(self.deactivate, "deactivate")()
            return TransitionCallbackReturn.FAILURE
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate, as a lifecycle transition; see ``deactivate``."""
        self.active = False
        self._noted(self.deactivate, "deactivate")
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up, as a lifecycle transition; see ``cleanup``."""
        self._noted(self._release, "cleanup")
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Make the body safe, then release everything, as a lifecycle transition."""
        self._noted(self.close, "shutdown")
        self._noted(self._release, "cleanup")
        return super().on_shutdown(state)

    def close(self) -> None:
        """Make the body safe before the process ends, in any state."""
        if self.active:
            self.active = False
            self.deactivate()

    def destroy_node(self) -> None:
        """Destroy the node and clean up: rclpy leaves actions on the graph until they are garbage-collected."""
        self.close()
        self._release()
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    def _release(self) -> None:
        if self._configured:
            self._configured = False
            try:
                self.cleanup()
            finally:
                self._entities.take_off_new()

    def _publish_diagnostics(self) -> None:
        level, message, values = self.diagnose()
        if self.refused:
            level, message = DiagnosticStatus.ERROR, self._why_refused
        troubles = [
            *self._twins.look(),
            *(self.clock_watch.troubles() if self.get_clock().ros_time_is_active else []),
        ]
        if self.guard.count:
            troubles.append(
                f"{self.guard.count} exceptions in callbacks, see the log; last {self.guard.last}"
            )
        if troubles:
            level, message = max(level, DiagnosticStatus.WARN), "; ".join([message, *troubles])
        values = {**values, "exceptions": self.guard.count, **self.clock_watch.values()}
        status = DiagnosticStatus(level=level, name=self.get_fully_qualified_name(), message=message)
        status.values = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(array)


def _report_exception(request: object, response: Any) -> Any:
    if hasattr(response, "message"):
        response.message = FAULT
    return response
