# SPDX-License-Identifier: Apache-2.0
"""An exception in a callback ends that call, and nothing else: on the graph, with the process's own executor."""

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Bool
from std_srvs.srv import SetBool
from waiting import spin_until

from embodiment_bridge.nodes.base.action_server import DeferredActionServer
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.executor import CallbackGuard
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.services import deferred_service
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient


@pytest.fixture
def runtime():
    with Runtime() as runtime:
        yield runtime


class Clumsy(BridgeNode):
    """Every callback of it fails."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__("clumsy", (), context=runtime.context, namespace="/guarded")
        self.calls: dict[str, int] = {}
        self.create_subscription(Bool, "heard", lambda message: self.fail("topic"), 10)
        self.create_service(SetBool, "asked", lambda request, response: self.fail("service"))
        deferred_service(self, SetBool, "asked_later", lambda request, reply: self.fail("deferred service"))
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(0.01, lambda: self.fail("timer"), clock=steady)
        self.action = DeferredActionServer(
            self, ExecuteSkill, "act", lambda goal: self.fail("goal"), lambda goal: None
        )

    def fail(self, what: str) -> None:
        self.calls[what] = self.calls.get(what, 0) + 1
        raise ValueError(f"clumsy {what}")


@pytest.mark.fault(
    "no memory", body=("mock", "mujoco"), reaction="a step that fails ends alone, and /diagnostics counts it"
)
def test_whatever_raises_the_process_goes_on_and_diagnostics_count_it(runtime, capfd) -> None:
    node = runtime.add(Clumsy(runtime))
    asker = runtime.add(Node("asker", context=runtime.context, namespace="/guarded"))
    publisher = asker.create_publisher(Bool, "heard", 10)
    clients = [asker.create_client(SetBool, name) for name in ("asked", "asked_later")]
    action = ActionClient(asker, ExecuteSkill, "act")
    spin_until(runtime, lambda: publisher.get_subscription_count() > 0)
    spin_until(runtime, lambda: all(client.service_is_ready() for client in clients))
    spin_until(runtime, action.server_is_ready)
    runtime.executor.create_task(node.fail, "task")
    for _ in range(3):
        publisher.publish(Bool())
    answers = [client.call_async(SetBool.Request()) for client in clients]
    goal = action.send_goal_async(ExecuteSkill.Goal())
    spin_until(runtime, lambda: all(answer.done() for answer in answers))
    spin_until(runtime, lambda: goal.done() and node.calls.get("topic", 0) == 3)
    said = {(answer.result().success, answer.result().message) for answer in answers}
    assert said == {(False, "an exception in the node, see its log")}
    ended = goal.result().get_result_async()
    spin_until(runtime, ended.done)
    before = node.calls["timer"]
    spin_until(runtime, lambda: node.calls["timer"] > before + 5)
    assert set(node.calls) == {"topic", "service", "deferred service", "timer", "goal", "task"}
    assert node.guard.count == sum(node.calls.values())
    told = capfd.readouterr().err
    assert "[guarded.clumsy]: exception 1 in a callback" in told
    assert "Traceback" in told
    assert "ValueError: clumsy topic" in told
    action.destroy()


def test_diagnostics_say_how_many_and_which_was_the_last(runtime) -> None:
    node = runtime.add(Clumsy(runtime))
    watcher = runtime.add(Watcher(context=runtime.context, namespace="/guarded"))
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

    told = []
    watcher.create_subscription(DiagnosticArray, "/diagnostics", lambda m: told.extend(m.status), 10)

    def ours():
        return [s for s in told if s.name == "/guarded/clumsy" and "exceptions in callbacks" in s.message]

    spin_until(runtime, lambda: bool(ours()))
    assert ours()[-1].level == DiagnosticStatus.WARN
    assert "ValueError: clumsy timer" in ours()[-1].message
    assert node.guard.count >= int({item.key: item.value for item in ours()[-1].values}["exceptions"]) > 0


def test_a_place_is_logged_once_in_ten_seconds() -> None:
    told, now = [], [0.0]
    guard = CallbackGuard(told.append, lambda: now[0])

    def fail():
        raise KeyError("x")

    guarded = guard.wrap(fail, "timer", lambda: "instead")
    for now[0] in (0.0, 1.0, 9.9, 10.0):
        assert guarded() == "instead"
    assert guard.count == 4
    assert len(told) == 2
    assert told[1].startswith("exception 4 in a callback, timer; the node goes on\nTraceback")


def test_two_bodies_in_one_namespace_are_named_by_both_and_a_goal_ends_no_process(runtime) -> None:
    """The client's rclpy raises "Two goals were accepted with the same ID"."""
    from embodiment_bridge.launching.executables import behavior_tree, mock_body

    common = {"context": runtime.context, "namespace": "/twins"}
    bodies = [
        runtime.add(mock_body(cli_args=["--ros-args", "-r", f"__node:=body{i}"], **common)) for i in range(2)
    ]
    tree = runtime.add(behavior_tree(**common))
    watcher = runtime.add(Watcher(**common))
    bml = BmlClient(watcher, lambda feedback: None)
    spin_until(
        runtime,
        lambda: bml.server_is_there and bool(tree.skills) and all(body._twins._told for body in bodies),
    )
    bml.send('{"type": "body", "action": "HEAD_SHAKE"}', source="test")
    spin_until(runtime, lambda: tree.guard.count > 0)
    assert "Two goals were accepted with the same ID" in tree.guard.last
    for body in bodies:
        lines = sorted(body._twins.look())
        assert [line.partition(": a goal goes to each;")[0] for line in lines] == [
            "2 nodes serve the action /twins/execute_skill",
            "2 nodes serve the action /twins/follow_joint_trajectory",
        ]
    bml.destroy()
