# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge call` on a graph: the answer as a line, the exit code, and what it says when it cannot."""

import json
import threading
from types import SimpleNamespace

import pytest
from embodiment_bridge.srv import Hold, SetTorque
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.services import deferred_service


@pytest.fixture
def call(capsys):
    """The command in this process: its exit code, and what it has written."""

    def do(*words: str) -> SimpleNamespace:
        capsys.readouterr()
        code = main(["call", *words])
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return do


def set_torque(request: SetTorque.Request, response: SetTorque.Response) -> SetTorque.Response:
    response.success = request.on
    response.message = " ".join(request.joints)
    return response


def say_what_came(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
    response.success, response.message = True, "frozen" if request.data else "let go"
    return response


def stop(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
    response.success, response.message = True, "frozen"
    return response


def hold_source(request: Hold.Request, response: Hold.Response) -> Hold.Response:
    response.success, response.message = (
        True,
        f"{'frozen' if request.on else 'let go'} {request.source}".rstrip(),
    )
    return response


def refuse_to_hurry(parameters: list[Parameter]) -> SetParametersResult:
    hurried = any(parameter.name == "speed" and parameter.value > 3.0 for parameter in parameters)
    return SetParametersResult(successful=not hurried, reason="too fast" if hurried else "")


@pytest.fixture(scope="module")
def graph():
    """A robot with one service and one parameter."""
    ended = threading.Event()
    with Runtime() as runtime:
        node = runtime.add(Node("arm", namespace="/robot1", context=runtime.context))
        node.create_service(SetTorque, "set_torque", set_torque)
        node.create_service(SetBool, "emergency_stop", say_what_came)
        node.create_service(SetBool, "hold", say_what_came)
        deferred_service(node, SetBool, "hung/emergency_stop", lambda *_: None)
        node.create_service(Trigger, "stop", stop)
        node.create_service(Hold, "hold_source", hold_source)
        node.declare_parameter("speed", 1.0)
        node.add_on_set_parameters_callback(refuse_to_hurry)
        thread = threading.Thread(target=lambda: runtime.spin(ended.is_set))
        thread.start()
        yield
        ended.set()
        thread.join()


def test_it_answers_with_a_line_and_an_exit_code(graph, call):
    done = call("set_torque", '{"joints": ["elbow"], "on": true}', "--namespace", "robot1", "--wait", "60")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"success": True, "message": "elbow"}), (
        done.stderr
    )
    done = call("/robot1/set_torque", "--wait", "60")
    assert (done.returncode, json.loads(done.stdout)) == (1, {"success": False, "message": ""}), done.stderr


@pytest.mark.parametrize(
    ("service", "answer"),
    [("set_parameters", "results"), ("set_parameters_atomically", "result")],
)
@pytest.mark.parametrize(("value", "code"), [(2.0, 0), (9.0, 1)])
def test_a_parameter_that_is_refused_is_no_success(graph, call, service, answer, value, code):
    asked = {"parameters": [{"name": "speed", "value": {"type": 3, "double_value": value}}]}
    done = call(f"/robot1/arm/{service}", json.dumps(asked), "--wait", "60")
    assert done.returncode == code, done.stderr
    result = {"successful": not code, "reason": "too fast" if code else ""}
    assert json.loads(done.stdout) == {answer: [result] if answer == "results" else result}


@pytest.mark.parametrize(
    ("service", "values", "does"),
    [
        ("stop", '{"toolCallId": "call_1"}', "frozen"),
        ("stop", "now!", "frozen"),
        ("emergency_stop", "{}", "frozen"),
        ("emergency_stop", '{"data": "true", "why": "a person is near"}', "frozen"),
        ("emergency_stop", '{"data": false}', "let go"),
        ("hold", "[]", "frozen"),
        ("hold", '{"data": "false"}', "let go"),
        ("hold_source", '{"source": "mcp", "on": 1}', "frozen mcp"),
        ("hold_source", '{"source": "mcp", "on": false}', "let go mcp"),
    ],
)
def test_what_freezes_is_obeyed_in_any_form(graph, call, service, values, does):
    done = call(f"/robot1/{service}", values, "--wait", "60")
    assert (done.returncode, json.loads(done.stdout)["message"]) == (0, does), done.stderr


@pytest.mark.parametrize("namespace", ["/robot1", "/"])
def test_it_lists_what_there_is(graph, call, namespace):
    for _ in range(20):  # a busy machine may take longer until the programs have found each other
        done = call("--namespace", namespace)
        if done.stdout:
            break
    listed = {one["service"]: one for one in map(json.loads, done.stdout.splitlines())}
    names = ("emergency_stop", "hold", "hold_source", "hung/emergency_stop", "set_torque", "stop")
    assert set(listed) == {f"/robot1/{name}" for name in names}
    assert listed["/robot1/set_torque"] == {
        "service": "/robot1/set_torque",
        "type": "embodiment_bridge/srv/SetTorque",
        "request": {"joints": [], "on": False},
    }


def test_a_stop_that_is_not_answered_is_no_mistake_of_the_call(graph, call):
    for wait in ("5", "60"):  # a busy machine may take longer until the programs have found each other
        done = call("/robot1/hung/emergency_stop", "--wait", wait)
        if done.returncode != 2:
            break
    assert (done.returncode, done.stdout) == (5, "")
    assert (
        f"has not answered within {wait} s: whether it was obeyed is not known; cut the supply" in done.stderr
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["/robot1/set_torque", "{'on': true}"], "is no JSON: "),
        (["/robot1/set_torque", "[" * 100_000], "is no JSON: "),
        (["/robot1/set_torque", "1" * 5000], "is no JSON: "),
        (
            ["/robot1/set_torqe", "--wait", "5"],
            "unknown service '/robot1/set_torqe'; did you mean '/robot1/set_torque'?",
        ),
        (["/robot1/set_torque", '{"on": 1}', "--wait", "60"], "on is 1; it must be true or false"),
        (["set torque"], "has a part that is not one of letters"),
    ],
)
def test_what_it_says_when_it_cannot(graph, call, words, says):
    for _ in range(5):  # a busy machine may take longer until the programs have found each other
        done = call(*words)
        if says in done.stderr:
            break
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""
