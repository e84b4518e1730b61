# SPDX-License-Identifier: Apache-2.0
"""Lines that no client would write, on the standard input of the server: each time it still answers a ping."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

import pytest
from robot_stage import LONG, ROOT
from sensor_msgs.msg import JointState
from waiting import GRAPH, until

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.robot.robot import Robot

ENV = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
BEGIN = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{{{}}}}}}}'
PING = '{"jsonrpc":"2.0","id":"first","method":"ping"}'
LINES = {
    "nothing": "",
    "no JSON": "hello",
    "no UTF-8": b"\xff\xfe\x00\x01",
    "null": "null",
    "list": "[]",
    "empty": "{}",
    "brackets": "[" * 200_000,
    "deep document": CALL.format("check_behavior", '"document":' + '{"behavior":' * 5000 + "1" + "}" * 5000),
    "NaN": CALL.format("go_to", '"x":NaN,"y":-Infinity'),
    "beyond double": CALL.format("do_skill", '"name":"wave","parameters":{"a":1e999}'),
    "digits": CALL.format("go_to", '"x":' + "9" * 6000 + ',"y":1'),
    "digits in a parameter": CALL.format(
        "do_skill", '"name":"step_forward","parameters":{"distance":' + "9" * 400 + "}"
    ),
    "digits in a document": CALL.format(
        "run_behavior", '"document":{"type":"delay","duration":' + "9" * 6000 + "}"
    ),
    "half a character": CALL.format("say", '"text":"\\ud83d"'),
    "half a character as a name": CALL.format("do_skill", '"name":"\\udc00","parameters":{"\\ud83d":1}'),
    "key twice": CALL.format("say", '"text":"a","text":7'),
    "no method": '{"jsonrpc":"2.0","id":3}',
    "method is a number": '{"jsonrpc":"2.0","id":3,"method":7}',
    "unknown method": '{"jsonrpc":"2.0","id":3,"method":"tools/rm","params":{}}',
    "params are a list": '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}',
    "no name": '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}',
    "name is a list": '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":["stop"]}}',
    "arguments are a text": '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"say","arguments":"hi"}}',
    "id is an object": '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
    "id is null": '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "an answer that was not asked for": '{"jsonrpc":"2.0","id":"x","result":{}}',
    "cancels what there is not": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    "begins again": json.dumps({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": BEGIN}),
    "resource elsewhere": '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
    "three megabytes": CALL.format("say", '"text":"' + "x" * 3_000_000 + '"'),
    "five megabytes": CALL.format("say", '"text":"' + "x" * 5_000_000 + '"'),
}


class Wire:
    """A server in a process of its own; it is killed if it does not answer in time."""

    def __init__(self, namespace: str, *options: str) -> None:
        words = [sys.executable, str(ROOT / "scripts/embodiment_bridge"), "mcp", "--namespace", namespace]
        self.process = subprocess.Popen(
            [*words, "--wait", "60", *options], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self.said: list[dict] = []  # all that was no answer to ``ask``

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def write(self, line: str | bytes) -> None:
        self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: object) -> tuple[dict, list[dict]]:
        """The answer, and what was said before it."""
        self._number += 1
        name = f"ask{self._number}"
        self.write(json.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": params}))
        others: list[dict] = []
        watch = threading.Timer(GRAPH, self.process.kill)
        watch.start()
        try:
            while line := self.process.stdout.readline():
                said = json.loads(line)
                if said.get("id") == name:
                    return said, others
                others.append(said)
                self.said.append(said)
        finally:
            watch.cancel()
        raise AssertionError(f"{method}: the server has ended with {self.process.wait()}")


def state(wire: Wire) -> str:
    answer, _ = wire.ask("tools/call", name="robot_state", arguments={})
    return answer["result"]["content"][0]["text"]


def called(tool: str, arguments: object, **more: object) -> str:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": "form", "method": "tools/call", "params": params, **more})


def without(line: str, *keys: str) -> str:
    return json.dumps({key: value for key, value in json.loads(line).items() if key not in keys})


STOPS = {
    "an argument of the host": called("stop", {"toolCallId": "call_0BCIShth4lxZ"}),
    "null": called("stop", None),
    "a list": called("stop", [1]),
    "a text": called("stop", "{}"),
    "no arguments": '{"jsonrpc":"2.0","id":"form","method":"tools/call","params":{"name":"stop"}}',
    "half a character": called("stop", {"reason": "\ud83d"}),
    "a notification": without(called("stop", {}), "id"),
    "id is null": called("stop", {}, id=None),
    "id is a fraction": called("stop", {}, id=1.5),
    "no version": without(called("stop", {}), "jsonrpc"),
    "params are a list": called("stop", {}, params=["stop"]),
    "in a batch": f"[{PING}, {called('stop', {})}]",
    "in capitals": called("STOP", {}),
}
HOLDS = {
    "a text": called("hold", {"on": "true"}),
    "an argument more": called("hold", {"on": True, "reason": "a person is near"}),
    "nothing": called("hold", {}),
    "no object": called("hold", [False]),
    "unclear": called("hold", {"on": 0}),
    "a notification": without(called("hold", {}), "id"),
}


class Head:
    """Whether the head moves, by the joints of the body."""

    def __init__(self, robot: Robot) -> None:
        self._yaw: deque[float] = deque(maxlen=15)  # 0.3 s of the mock body
        self._robot = robot
        self._topic = robot.on_graph(
            lambda node: node.create_subscription(JointState, "joint_states", self._take, profile("sensor"))
        ).result()

    def close(self) -> None:
        self._robot.on_graph(lambda node: node.destroy_subscription(self._topic)).result()

    def _take(self, message: JointState) -> None:
        self._yaw.append(message.position[message.name.index("head_yaw")])

    def until(self, moves: bool) -> None:
        """Wait for 0.3 s in which it moves all the time, or rests."""
        self._yaw.clear()

        def does() -> bool:
            return len(self._yaw) == self._yaw.maxlen and (max(self._yaw) - min(self._yaw) > 0.02) is moves

        assert self._robot.senses.wait(does, GRAPH) or does()


@pytest.fixture
def head(robot: Robot) -> Iterator[Head]:
    made = Head(robot)
    yield made
    made.close()


def begin(wire: "Wire", head: Head) -> None:
    answer, _ = wire.ask("tools/call", name="run_behavior", arguments={"document": LONG, "background": True})
    assert answer["result"]["structuredContent"]["outcome"] == "RUNNING", answer
    head.until(moves=True)


def until_answered(wire: "Wire", answers: Callable[[], bool]) -> None:
    until(lambda: answers() or (wire.ask("ping") and answers()), lambda: wire.said, GRAPH)


def answers_of(wire: "Wire") -> list[dict]:
    return [one for one in wire.said if "method" not in one]


@pytest.fixture(scope="module")
def wire(robot):
    made = Wire(robot.namespace)
    try:
        assert "serverInfo" in made.ask("initialize", **BEGIN)[0]["result"]
        made.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        deadline = time.monotonic() + GRAPH
        while not state(made).startswith("mock: link ready"):  # it was found only just now
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("what", LINES)
def test_a_hostile_line_does_not_end_the_server(wire, what) -> None:
    wire.write(LINES[what])
    answer, _ = wire.ask("ping")
    assert answer["result"] == {}
    answer, said = wire.ask("tools/call", name="robot_state", arguments={})
    assert answer["result"]["content"][0]["text"].startswith("mock: link ready")
    for one in said:
        assert "nternal" not in json.dumps(one), one
        assert "root:" not in json.dumps(one), one


@pytest.mark.parametrize("form", STOPS)
def test_stop_stops_in_any_form(wire, head, form) -> None:
    begin(wire, head)
    wire.said.clear()
    wire.write(STOPS[form])
    head.until(moves=False)
    assert robot_is_free(wire)
    if form != "a notification":
        until_answered(wire, lambda: any(one["id"] in ("form", None) for one in answers_of(wire)))


@pytest.mark.parametrize("form", HOLDS)
def test_hold_freezes_unless_it_clearly_lets_go(wire, head, form) -> None:
    begin(wire, head)
    wire.write(HOLDS[form])
    head.until(moves=False)
    assert "PAUSED" in state(wire)
    answer, _ = wire.ask("tools/call", name="hold", arguments={"on": "false", "toolCallId": "call_1"})
    assert not answer["result"].get("isError"), answer
    head.until(moves=True)
    wire.ask("tools/call", name="stop", arguments={})
    assert robot_is_free(wire)


def robot_is_free(wire: Wire) -> bool:
    wire.ask("tools/call", name="wait", arguments={"for": "run", "timeout": 60})
    return "nothing runs" in state(wire) and "PAUSED" not in state(wire)


def test_stop_needs_no_handshake(robot, wire, head) -> None:
    begin(wire, head)
    other = Wire(robot.namespace)
    try:
        answer, _ = other.ask("tools/call", name="stop", arguments={})
        assert answer["result"]["structuredContent"]["done"], answer
        head.until(moves=False)
    finally:
        other.close()


ANSWERED = {  # lines, and the ids and codes of their answers
    '{"jsonrpc":"2.0","id":"form","method":"tools/call","params":{"name":"say","arguments":{"text":"\\ud83d"}}}': (
        ("form", -32700),
    ),
    '[{"jsonrpc":"2.0","id":"first","method":"nothing"},{"id":"second"}]': (
        ("first", -32601),
        ("second", -32600),
    ),
    '{"jsonrpc":"2.0","id":null,"method":"ping"}': ((None, -32600),),
    '{"jsonrpc":"2.0","id":"form","method":"tools/call","params":[1]}': (("form", -32600),),
    "hello": ((None, -32700),),
    '{"jsonrpc":"2.0","id":"form","method":"ping"': ((None, -32700),),
    '\ufeff{"jsonrpc":"2.0","id":"form","method":"nothing"}\r': (("form", -32601),),
    "[]": ((None, -32600),),
}


@pytest.mark.parametrize("line", ANSWERED)
def test_each_request_has_an_answer(wire, line) -> None:
    wire.said.clear()
    wire.write(line)
    until_answered(wire, lambda: len(answers_of(wire)) >= len(ANSWERED[line]))
    assert {(one["id"], one["error"]["code"]) for one in answers_of(wire)} == set(ANSWERED[line])


def test_the_last_line_needs_no_end(robot, head) -> None:
    other = Wire(robot.namespace)
    try:
        other.process.stdin.write(b'{"jsonrpc":"2.0","id":"form","method":"nothing"}')
        other.process.stdin.close()
        assert json.loads(other.process.stdout.readline())["id"] == "form"
    finally:
        other.close()


@pytest.mark.parametrize(
    "garbage", ['"result":"yes"', '"result":{"action":"of course"}', '"result":null', '"error":7']
)
def test_garbage_is_no_agreement_and_no_end_of_the_host(robot, garbage) -> None:
    """Neither the question to the user nor a ping waits for more, and the call is answered."""
    other = Wire(robot.namespace, "--ask", "--host-timeout", "2")
    watch = threading.Timer(GRAPH, other.process.kill)
    watch.start()
    try:
        other.ask("initialize", **{**BEGIN, "capabilities": {"elicitation": {}}})
        other.write(called("do_skill", {"name": "head_shake"}))
        while (said := json.loads(other.process.stdout.readline())).get("method") != "elicitation/create":
            pass
        other.write(f'{{"jsonrpc":"2.0","id":{json.dumps(said["id"])},{garbage}}}')
        while (said := json.loads(other.process.stdout.readline())).get("id") != "form":
            pass
        assert "did not agree" in said["result"]["content"][0]["text"]
    finally:
        watch.cancel()
        other.close()


def test_a_host_that_answers_pings_with_garbage_is_there(robot) -> None:
    document = {"type": "delay", "duration": 3}
    other = Wire(robot.namespace, "--host-timeout", "1")
    watch = threading.Timer(GRAPH, other.process.kill)
    watch.start()
    try:
        other.ask("initialize", **BEGIN)
        other.write(called("run_behavior", {"document": document}))
        while (said := json.loads(other.process.stdout.readline())).get("id") != "form":
            if said.get("method") == "ping":
                other.write(f'{{"jsonrpc":"2.0","id":{json.dumps(said["id"])},"result":["pong"]}}')
        assert said["result"]["structuredContent"]["outcome"] == "SUCCEEDED", said
    finally:
        watch.cancel()
        other.close()
