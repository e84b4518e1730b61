# SPDX-License-Identifier: Apache-2.0
"""The emergency stop of a body: the topic and the service `emergency_stop`, on a thread of their own.

A separate node with its own executor serves them, so that a stop does not wait for a goal, a document or a step of
motion in the body's node.
"""

import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.timer import Timer
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.clock_watch import ClockSteps
from embodiment_bridge.nodes.base.executor import SingleThreadedExecutor, spin
from embodiment_bridge.nodes.base.services import Reply, deferred_service

NAME = "emergency_stop"
DEPTH = 100
# The first matches reliable publishers, the second all others.
ANYBODY = (
    QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.RELIABLE),
    QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT),
)
# Receives the last message of a latched publisher that published before this node existed. It does not match other
# publishers, and ROS would warn each of them of that, so it is made only when there is a latched one.
LATCHED = QoSProfile(
    depth=DEPTH, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
REMEMBERED = 256  # messages
PAUSE_S = 0.01  # after an error
CONFIRM_S = 1.0  # s in which the servos have to confirm a stop; then the answer says which have not
LOOK_S = 0.01  # s between looks for that
# s for which a busy thread keeps Python's interpreter while another one waits; with Python's default of 5 ms, a stop
# that goes through three threads could wait for 15 ms.
SWITCH_S = 0.0005


class EmergencyStop(OwnThread):
    """Serves until it is closed. ``stop(on)`` is called on its own thread and must not wait for the node's executor.

    Args:
        node: that of the body; names are resolved as for this node, remaps included.
        stop: true stops, false releases.
        missing: says what of the last ``stop(on)`` has not been seen to be done; empty: nothing. On the same thread.
        pressed: whether a stop is in force already.
    """

    def __init__(
        self,
        node: BridgeNode,
        stop: Callable[[bool], None],
        missing: Callable[[], str],
        *,
        pressed: bool = False,
    ) -> None:
        super().__init__()
        sys.setswitchinterval(SWITCH_S)
        self._guard = node.guard
        self._stop = node.guard.wrap(stop, "emergency stop")
        self._seen: deque[tuple[int, bool]] = deque(maxlen=REMEMBERED)
        self._pressed = pressed
        # ns: source time of the latched message that pressed; None: there is no stop, or something else pressed.
        self._latched_press: int | None = None
        self._context = node.context
        self._own = Node(
            f"{node.get_name()}_{NAME}",
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,  # the resolved names already include the node's remaps
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._topic = node.resolve_topic_name(NAME)
        for qos in ANYBODY:
            self._own.create_subscription(Bool, self._topic, self._heard, qos)
        self._hears_latched = False
        self._missing = missing
        self._waiting: list[
            tuple[float, str, Reply]
        ] = []  # until when (s), and what is answered when it is done
        self._looks: Timer | None = None  # while an answer is due
        deferred_service(self._own, SetBool, node.resolve_service_name(NAME), self._asked)
        # the events executor has to run in the main thread
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._own)
        self._clock_steps = ClockSteps(self._executor, ())  # its loop looks for publishers twice a second
        self._start(NAME)

    def close(self) -> None:
        """Stop serving, and remove topic and service from the graph."""
        self._clock_steps.close()
        self._closing.set()
        self._executor.wake()
        super().close()
        self._executor.remove_node(self._own)
        self._own.destroy_node()
        self._executor.shutdown()

    def _serve(self) -> None:
        """Serve on, whatever goes wrong on the graph: nothing else hears the stop."""
        while not self._closing.is_set() and self._context.ok():
            try:
                spin(self._executor, self._context, self._done)
            except Exception as error:  # noqa: BLE001 - see above
                self._guard.note(error, NAME)
                self._closing.wait(PAUSE_S)

    def _done(self) -> bool:
        if not self._hears_latched and any(
            one.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
            for one in self._own.get_publishers_info_by_topic(self._topic)
        ):
            self._hears_latched = True
            self._own.create_subscription(Bool, self._topic, self._heard_latched, LATCHED)
        return self._closing.is_set()

    def _heard(self, message: Bool, info: dict[str, Any]) -> None:
        """Handle each message once, although several subscriptions receive it: a stop could else follow its release."""
        one = (int(info["source_timestamp"]), bool(message.data))
        if one not in self._seen:
            self._seen.append(one)
            self._set(message.data)

    def _heard_latched(self, message: Bool, info: dict[str, Any]) -> None:
        """Press, and release only what an older latched message has pressed: another stop may be newer than this."""
        sent = int(info["source_timestamp"])
        if message.data and not self._pressed:
            self._heard(message, info)
            self._latched_press = sent if self._pressed else None
        elif not message.data and self._latched_press is not None and sent > self._latched_press:
            self._heard(message, info)

    def _set(self, on: bool) -> None:
        self._pressed, self._latched_press = on, None
        self._stop(on)

    def _asked(self, request: SetBool.Request, reply: Reply) -> None:
        self._answer("it was asked again meanwhile")
        self._set(request.data)
        done = "stopped" if request.data else "released"
        self._waiting.append((time.monotonic() + CONFIRM_S, done, reply))
        if self._looks is None:
            self._looks = self._own.create_timer(
                LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME)
            )
        self._look()

    def _look(self) -> None:
        """Answer as soon as the stop or the release is seen to be done, or after ``CONFIRM_S``."""
        missing = self._missing()
        if not missing or any(time.monotonic() >= until for until, _, _ in self._waiting):
            self._answer(missing)
        if not self._waiting and self._looks is not None:
            self._own.destroy_timer(self._looks)
            self._looks = None

    def _answer(self, missing: str) -> None:
        for _, done, reply in self._waiting:
            reply.response.success = not missing
            reply.response.message = f"asked, but not confirmed to be {done}: {missing}" if missing else done
            reply.send()
        self._waiting.clear()
