# SPDX-License-Identifier: Apache-2.0
"""A body stops for an emergency stop of anybody, and when nobody commands it any more."""

import threading
import time

import pytest
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool
from waiting import until

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.emergency_stop import EmergencyStop
from embodiment_bridge.nodes.body.keep_alive import LOOK_S, DeadMan, KeepAlive

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


class Topic:
    def __init__(self):
        self.sent = []

    def publish(self, message):
        self.sent.append(message.data)


class FakeNode:
    """Timers never fire by themselves."""

    def __init__(self):
        self.timers, self.topic, self.warnings = 0, Topic(), []

    def get_logger(self):
        return self

    def warning(self, text):
        self.warnings.append(text)

    def create_publisher(self, kind, name, qos):
        assert (kind, name) == (String, "keep_alive")
        return self.topic

    def create_subscription(self, kind, name, callback, qos):
        self.hear = callback
        return self

    def create_timer(self, period, callback, clock):
        self.timers, self.beat = self.timers + 1, callback
        return callback

    def destroy_timer(self, timer):
        self.timers -= 1

    def destroy_subscription(self, subscription):
        self.hear = None

    def destroy_publisher(self, topic):
        self.topic = None


class DeadManWatch:
    def __init__(self):
        self.node, self.now, self.told = FakeNode(), 0.0, []
        self.watch = DeadMan(self.node, lambda *news: self.told.append(news), lambda: self.now)

    def begin(self, source, skill="1", limit=0.5):
        self.node.hear(String(data=source))
        self.watch.begin(source, skill, limit)

    def wait(self, seconds, *alive):
        """Look ten times a second, while some are heard."""
        for _ in range(round(seconds / LOOK_S)):
            self.now += LOOK_S
            for source in alive:
                self.node.hear(String(data=source))
            self.watch.look()


@pytest.fixture
def stage():
    return DeadManWatch()


@pytest.mark.fault(
    "cut",
    body=("mock", "mujoco"),
    reaction="the skills of a brain that is not heard for 0.5 s stand, and go on when it is",
)
@pytest.mark.fault(
    "killed", body="mujoco", reaction="the skills of a brain that is not heard for 0.5 s stand"
)
def test_who_falls_silent_is_held_until_he_is_back(stage):
    stage.begin("run", "1", 0.5)
    stage.wait(3.0, "run")
    assert stage.told == []
    stage.wait(0.4)
    assert stage.told == []
    stage.wait(0.3)
    assert stage.told == [("run", True)]
    assert stage.watch.is_silent("run")
    stage.wait(3.0)
    assert stage.told == [("run", True)]
    for _ in range(2):
        stage.node.hear(String(data="run"))
        assert stage.told == [("run", True), ("run", False)]
    assert not stage.watch.is_silent("run")


def test_each_source_for_itself(stage):
    stage.begin("a", "1", 0.5)
    stage.begin("b", "2", 0.5)
    stage.wait(2.0, "b", "nobody")
    assert stage.told == [("a", True)]


def test_who_was_never_heard_is_not_held_but_warned_of(stage):
    """As where a tree has another namespace than the body, and its topic was not remapped."""
    stage.watch.begin("run", "1", 0.5)
    stage.wait(3.0, "somebody else")
    stage.watch.begin("other", "2", 0.5)
    stage.wait(3.0)
    assert stage.told == []
    assert len(stage.node.warnings) == 1
    assert (
        "'run' wants its skills held when it falls silent, but is never heard on keep_alive"
        in stage.node.warnings[0]
    )
    stage.wait(0.2, "run")
    stage.wait(1.0)
    assert stage.told == [("run", True)]


def test_who_did_not_ask_for_it_is_not_watched(stage):
    stage.watch.begin("a", "1", 0.0)
    stage.watch.begin("b", "2", float("nan"))
    stage.wait(9.0)
    assert (stage.told, stage.node.timers) == ([], 0)


def test_the_end_of_its_skills_ends_the_hold(stage):
    stage.begin("run", "1", 0.5)
    stage.begin("run", "2", 0.5)
    stage.wait(1.0)
    stage.watch.end("run", "1")
    assert stage.told == [("run", True)]
    assert stage.node.timers == 1
    stage.watch.end("run", "2")
    assert stage.told == [("run", True), ("run", False)]
    assert stage.node.timers == 0
    stage.watch.end("run", "2")  # nothing is left of it
    assert not stage.watch.is_silent("run")


def test_a_new_skill_is_a_sign_of_life(stage):
    stage.begin("run", "1", 0.5)
    stage.wait(1.0)
    stage.begin("run", "2", 0.5)
    assert stage.told[-1] == ("run", False)


def test_a_look_that_is_late_blames_nobody(stage):
    """When this process stood still, nobody could be heard."""
    stage.begin("run", "1", 0.5)
    stage.wait(0.3, "run")
    stage.now += 5.0
    stage.watch.look()
    assert stage.told == []
    stage.wait(0.5)
    assert stage.told == [("run", True)]


def test_after_a_late_look_half_of_the_limit_is_left(stage):
    stage.begin("run", "1", 0.5)
    stage.now = 5.0
    stage.watch.look()
    stage.wait(0.2)
    assert stage.told == []
    stage.wait(0.1)
    assert stage.told == [("run", True)]


@pytest.mark.parametrize(("late", "told"), [(0.2, [("run", True)]), (0.201, [])])
def test_a_look_is_late_after_more_than_a_fifth_of_a_second(stage, late, told):
    stage.begin("run", "1", 0.1)
    stage.now = late
    stage.watch.look()
    assert stage.told == told


def test_the_limit_is_the_last_moment_at_which_a_source_counts_as_alive(stage):
    stage.begin("run", "1", 0.5)
    for now in (0.15, 0.3, 0.45, 0.5):
        stage.now = now
        stage.watch.look()
    assert stage.told == []
    stage.now = 0.501
    stage.watch.look()
    assert stage.told == [("run", True)]


def test_a_warning_comes_only_after_the_limit_from_the_begin(stage):
    stage.now = 10.0
    stage.watch.begin("run", "1", 0.5)
    for now in (10.0, 10.2, 10.5):
        stage.now = now
        stage.watch.look()
    assert stage.node.warnings == []
    stage.now = 10.51
    stage.watch.look()
    assert len(stage.node.warnings) == 1


def test_one_that_was_never_heard_hides_no_other(stage):
    stage.watch.begin("never heard", "1", 0.5)
    stage.begin("run", "2", 0.5)
    stage.wait(1.0)
    assert stage.told == [("run", True)]


def test_the_longest_name_is_heard_and_a_hundred_are_remembered(stage):
    for length in (1000, 1001):
        stage.begin("x" * length, str(length))
    stage.wait(1.0)
    assert stage.told == [("x" * 1000, True)]
    for number in range(200):
        stage.node.hear(String(data=str(number)))
    for name in ("99", "100"):
        stage.watch.begin(name, "1", 0.5)
    stage.wait(1.0)
    assert ("99", True) not in stage.told
    assert stage.told[-1] == ("100", True)


def test_each_fifth_of_the_limit_it_is_told():
    node, clock = FakeNode(), [0.0]
    alive = KeepAlive(node, 0.5, lambda: clock[0])
    counts = []
    for clock[0] in (0.0, 0.09, 0.1, 0.19, 0.2):
        alive.tell(["run"])
        counts.append(len(node.topic.sent))
    assert counts == [1, 1, 2, 2, 3]


def test_a_timer_tells_where_nothing_ticks():
    node, clock = FakeNode(), [0.0]
    alive = KeepAlive(node, 0.5, lambda: clock[0])
    alive.tell(["run"])
    alive.rest([])
    assert node.timers == 0
    alive.rest(["run", "guest"])
    alive.rest(["run", "guest"])
    assert node.timers == 1
    clock[0] = 0.1
    node.beat()
    assert node.topic.sent == ["run", "run", "guest"]
    alive.tell([])
    assert node.timers == 0
    alive.rest(["run"])
    alive.destroy()
    assert (node.timers, node.topic) == (0, None)


def test_told_never_where_it_is_off():
    node = FakeNode()
    sent = node.topic.sent
    alive = KeepAlive(node, 0.0)
    alive.tell(["run"])
    alive.rest(["run"])
    assert (sent, node.timers) == ([], 0)
