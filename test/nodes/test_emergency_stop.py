# SPDX-License-Identifier: Apache-2.0
"""The emergency stop hears every publisher, once each, while the executor of its node does nothing."""

import threading
import time

import pytest
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool
from std_srvs.srv import SetBool
from waiting import until

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.emergency_stop import EmergencyStop

RELIABLE, BEST_EFFORT = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT
VOLATILE, LATCHED = DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL


class Body:
    """A node that nobody spins, and its stop; ``heard``: what it was told, and on which thread."""

    def __init__(self, runtime: Runtime, name: str = "body", *, pressed: bool = False, **others) -> None:
        self.node = BridgeNode(name, (), context=runtime.context, namespace="/stopped", **others)
        self.heard: list[tuple[bool, str]] = []
        self.missing = ""
        self.stop = EmergencyStop(
            self.node,
            lambda on: self.heard.append((on, threading.current_thread().name)),
            lambda: self.missing,
            pressed=pressed,
        )

    def wait_for(self, *wanted: bool) -> None:
        until(lambda: len(self.heard) >= len(wanted))
        assert self.heard == [(on, "emergency_stop") for on in wanted]

    def close(self) -> None:
        self.stop.close()
        self.node.destroy_node()


@pytest.fixture
def runtime():
    with Runtime() as runtime:
        yield runtime


@pytest.fixture
def body(runtime):
    body = Body(runtime)
    yield body
    body.close()


@pytest.fixture
def button(runtime):
    node = Node("button", context=runtime.context, namespace="/stopped")
    yield node
    node.destroy_node()


@pytest.mark.parametrize(
    ("reliability", "durability", "readers"),
    [(RELIABLE, VOLATILE, 2), (RELIABLE, LATCHED, 3), (BEST_EFFORT, VOLATILE, 1), (BEST_EFFORT, LATCHED, 1)],
)
def test_any_publisher_is_heard_once(body, button, reliability, durability, readers) -> None:
    qos = QoSProfile(depth=10, reliability=reliability, durability=durability)
    publisher = button.create_publisher(Bool, "emergency_stop", qos)
    until(lambda: publisher.get_subscription_count() >= readers)
    for on in (True, False, True):
        publisher.publish(Bool(data=on))
    body.wait_for(True, False, True)
    body.stop.close()  # nothing more was on its way
    assert len(body.heard) == 3


def test_a_latched_stop_of_before_is_heard(runtime, button) -> None:
    qos = QoSProfile(depth=1, durability=LATCHED)
    button.create_publisher(Bool, "emergency_stop", qos).publish(Bool(data=True))
    late = Body(runtime, "late")
    late.wait_for(True)
    late.close()


def test_a_latched_release_of_before_is_not_heard_and_one_of_now_is(runtime, button) -> None:
    """Else a page that said it once would release a stop that was pressed after it, when the driver starts anew."""
    publisher = button.create_publisher(Bool, "emergency_stop", QoSProfile(depth=10, durability=LATCHED))
    publisher.publish(Bool(data=False))
    late = Body(runtime, "late")
    until(lambda: publisher.get_subscription_count() >= 3)
    for on in (True, False, True):
        publisher.publish(Bool(data=on))
    late.wait_for(True, False, True)
    late.close()
    assert len(late.heard) == 3


@pytest.mark.parametrize(("pressed", "heard"), [(False, [True, False]), (True, [])])
def test_a_latched_release_ends_the_latched_stop_before_it_and_no_other(
    runtime, button, pressed, heard
) -> None:
    publisher = button.create_publisher(Bool, "emergency_stop", QoSProfile(depth=10, durability=LATCHED))
    for on in (True, False):
        publisher.publish(Bool(data=on))
    late = Body(runtime, "late", pressed=pressed)
    until(lambda: publisher.get_subscription_count() >= 3)
    late.wait_for(*heard)
    time.sleep(0.3)  # in which the history comes
    late.close()
    assert [on for on, _ in late.heard] == heard


def test_the_service_is_answered_while_the_node_is_not_spun(body, runtime, button) -> None:
    client = button.create_client(SetBool, "emergency_stop")
    runtime.executor.add_node(button)
    runtime.spin(client.service_is_ready)
    answer = client.call_async(SetBool.Request(data=True))
    runtime.spin(answer.done)
    assert (answer.result().success, answer.result().message) == (True, "stopped")
    body.wait_for(True)
    runtime.executor.remove_node(button)


def test_what_no_servo_confirms_is_answered_without_success(body, runtime, button) -> None:
    client = button.create_client(SetBool, "emergency_stop")
    runtime.executor.add_node(button)
    runtime.spin(client.service_is_ready)
    body.missing = "no answer from head_yaw"
    answer = client.call_async(SetBool.Request(data=True))
    runtime.spin(answer.done)
    text = "asked, but not confirmed to be stopped: no answer from head_yaw"
    assert (answer.result().success, answer.result().message) == (False, text)
    body.wait_for(True)
    runtime.executor.remove_node(button)


def test_remaps_of_the_node_hold(runtime, button) -> None:
    words = ["--ros-args", "-r", "emergency_stop:=/red/button"]
    body = Body(runtime, "remapped", cli_args=words)
    publisher = button.create_publisher(Bool, "/red/button", 10)
    until(lambda: publisher.get_subscription_count() >= 2)
    publisher.publish(Bool(data=True))
    body.wait_for(True)
    body.close()


def test_a_stop_that_raises_is_counted_and_the_next_is_heard(runtime, button) -> None:
    node = BridgeNode("broken", (), context=runtime.context, namespace="/stopped")
    heard = []

    def stop(on: bool) -> None:
        heard.append(on)
        raise RuntimeError("no bus")

    way = EmergencyStop(node, stop, lambda: "")
    publisher = button.create_publisher(Bool, "emergency_stop", 10)
    until(lambda: publisher.get_subscription_count() >= 2)
    for on in (True, False):
        publisher.publish(Bool(data=on))
    until(lambda: len(heard) == 2)
    way.close()
    assert node.guard.count == 2
    assert "RuntimeError: no bus" in node.guard.last
    node.destroy_node()


def test_it_is_heard_after_something_went_wrong_on_the_graph(body, button) -> None:
    raised: list[str] = []

    def look(topic: str) -> list[object]:
        if not raised:
            raised.append(topic)
            raise RuntimeError("a surprise of the middleware")
        return []

    body.stop._own.get_publishers_info_by_topic = look
    publisher = button.create_publisher(Bool, "emergency_stop", 10)
    until(lambda: publisher.get_subscription_count() >= 2 and bool(raised))
    publisher.publish(Bool(data=True))
    body.wait_for(True)
    assert "a surprise of the middleware" in body.node.guard.last
