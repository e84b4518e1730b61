# SPDX-License-Identifier: Apache-2.0
"""Lines that no client would write, on the standard input of the server: each time it still answers a ping."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest
from mcp_stage import PATIENCE, ROOT

ENV = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
BEGIN = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{{{}}}}}}}'
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

    def __init__(self, namespace: str) -> None:
        words = [sys.executable, str(ROOT / "scripts/embodiment_bridge"), "mcp", "--namespace", namespace]
        self.process = subprocess.Popen(
            [*words, "--wait", "60"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0

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
        watch = threading.Timer(PATIENCE, self.process.kill)
        watch.start()
        try:
            while line := self.process.stdout.readline():
                said = json.loads(line)
                if said.get("id") == name:
                    return said, others
                others.append(said)
        finally:
            watch.cancel()
        raise AssertionError(f"{method}: the server has ended with {self.process.wait()}")


def state(wire: Wire) -> str:
    answer, _ = wire.ask("tools/call", name="robot_state", arguments={})
    return answer["result"]["content"][0]["text"]


@pytest.fixture(scope="module")
def wire(robot):
    made = Wire(robot.namespace)
    try:
        assert "serverInfo" in made.ask("initialize", **BEGIN)[0]["result"]
        made.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        deadline = time.monotonic() + PATIENCE
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
