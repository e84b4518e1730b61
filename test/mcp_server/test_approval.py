# SPDX-License-Identifier: Apache-2.0
"""`--ask`: a person agrees to what they see, to all of it, and to nothing else."""

import re
from concurrent.futures import Future

import anyio
import mcp.types as types
import pytest
from embodiment_bridge.srv import Approve
from mcp_stage import async_until, connected
from waiting import GRAPH

from embodiment_bridge.mcp_server import approval
from embodiment_bridge.mcp_server.options import Options

ASK = Options(ask=True)
WANTED = re.compile(r"approval (\S+) wanted: (.*)")
HEAD_SHAKE = {"name": "head_shake"}


class Operator:
    """A person with `embodiment_bridge call`."""

    def __init__(self, robot):
        self._robot = robot
        self._client = robot.on_graph(lambda node: node.create_client(Approve, "approve")).result()

    async def answer(self, name, *, agreed=True):
        """What the service says to this."""
        await async_until(self._client.service_is_ready)
        done: Future[Approve.Response] = Future()
        request = Approve.Request(id=name, agreed=agreed)
        self._robot.on_graph(
            lambda _: self._client.call_async(request).add_done_callback(
                lambda answered: done.set_result(answered.result())
            )
        )
        return await anyio.to_thread.run_sync(done.result, GRAPH)

    def close(self):
        self._robot.on_graph(lambda node: node.destroy_client(self._client)).result()


@pytest.fixture
def operator(robot):
    made = Operator(robot)
    yield made
    made.close()


def wanted(host):
    """Ids of what was asked, and what it was."""
    found = [WANTED.fullmatch(line) for line in host.told]
    return {one[1]: one[2] for one in found if one is not None}


async def newest(host, number):
    """The id of the request with this number, as soon as it is asked."""
    await async_until(lambda: len(wanted(host)) == number)
    return list(wanted(host))[-1]


def asked_of_user(robot, action, tool, **arguments):
    """What the user of a host is asked, and the result of the call."""
    asked, results = [], []

    async def elicit(_, params):
        asked.append(params.message)
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    async def do() -> None:
        async with connected(robot, ASK, elicitation_callback=elicit) as host:
            results.append(await host.call(tool, **arguments))

    anyio.run(do)
    return asked, results[0]


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_the_user_of_the_host_is_asked(robot, action) -> None:
    asked, result = asked_of_user(robot, action, "do_skill", name="head_shake")
    assert asked == ["Let the robot do this? head_shake"]
    assert result.is_error == (action == "decline")
    if action == "decline":
        assert "did not agree" in result.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "asked"),
    [
        ("go_to", {"x": 0, "y": 0, "yaw": 1.5}, "go to 0 0, heading 1.5"),
        ("say", {"text": f"{'nice ' * 60}and not nice"}, f'say "{"nice " * 60}and not nice"'),
    ],
)
def test_the_question_has_all_of_it(robot, tool, arguments, asked) -> None:
    assert asked_of_user(robot, "decline", tool, **arguments)[0] == [f"Let the robot do this? {asked}"]


def test_the_question_has_how_often_and_all_the_words(robot) -> None:
    document = {
        "type": "sequence",
        "behaviors": [
            {"type": "log", "text": "a friendly greeting " * 100},
            {"type": "body", "action": "STEP_FORWARD", "parameters": {"distance": 0.3}, "repeat": 60},
            {"type": "speak", "content": "Fire! Leave the building at once!"},
        ],
    }
    (question,), _ = asked_of_user(robot, "decline", "run_behavior", document=document, background=True)
    for part in (
        "run in the background",
        "18 m",
        '60 x body {"action": "STEP_FORWARD"',
        "Fire! Leave the building",
    ):
        assert part in question


@pytest.mark.parametrize("agreed", [True, False])
def test_an_operator_is_asked(robot, operator, agreed) -> None:
    async def do() -> None:
        async with connected(robot, ASK) as host, anyio.create_task_group() as group:
            results = []

            async def shake() -> None:
                results.append(await host.call("do_skill", **HEAD_SHAKE))

            group.start_soon(shake)
            name = await newest(host, 1)
            assert wanted(host) == {name: "head_shake"}
            call = f"embodiment_bridge call {robot.namespace}/approve"
            assert host.told[1] == f"""to agree: {call} '{{"id": "{name}", "agreed": true}}'"""
            answer = await operator.answer(name, agreed=agreed)
            assert answer.message == f"{name} {'begins' if agreed else 'is refused'}"
            await async_until(lambda: results)
            assert results[0].is_error is not agreed

    anyio.run(do)


def test_a_late_answer_begins_nothing_else(robot, operator) -> None:
    async def do() -> None:
        async with connected(robot, ASK) as host, anyio.create_task_group() as group:
            with anyio.CancelScope() as first:

                async def cancel() -> None:
                    await newest(host, 1)
                    first.cancel()

                group.start_soon(cancel)
                await host.call("do_skill", **HEAD_SHAKE)
            errors = []

            async def step() -> None:
                errors.append(await host.error("do_skill", name="step_forward"))

            group.start_soon(step)
            name = await newest(host, 2)
            for late in ("", next(iter(wanted(host)))):
                answer = await operator.answer(late)
                assert not answer.success
                assert name in answer.message
            assert not robot._runs.running
            assert (await operator.answer(name, agreed=False)).success
            await async_until(lambda: errors)
            assert "did not agree" in errors[0]

    anyio.run(do)


@pytest.mark.parametrize("freeze", [("stop", {}), ("hold", {"on": True})])
def test_what_waited_when_the_robot_was_stopped_begins_no_more(robot, operator, freeze) -> None:
    async def do() -> None:
        async with connected(robot, ASK) as host, anyio.create_task_group() as group:
            before, errors = robot.pose, []

            async def step() -> None:
                errors.append(await host.error("go_to", x=2.0, y=0.0))

            group.start_soon(step)
            name = await newest(host, 1)
            await host.text(freeze[0], **freeze[1])
            assert not (await operator.answer(name)).success
            await async_until(lambda: errors)
            assert "while it waited" in errors[0]
            await anyio.to_thread.run_sync(robot.hold, False)
            await anyio.to_thread.run_sync(robot.do, "head_shake")  # it would have begun to walk by now
            assert robot.pose.distance(before.x, before.y) < 0.02

    anyio.run(do)


def test_a_stop_between_the_agreement_and_the_run_voids_it(robot, monkeypatch) -> None:
    async def do() -> None:
        async with connected(robot, ASK) as host:

            async def agreed(*_: object) -> bool:
                await host.call("stop")
                return True

            monkeypatch.setattr(approval.Approvals, "ask", agreed)
            assert "while it waited" in await host.error("do_skill", name="step_forward")
            assert not robot._runs.running

    anyio.run(do)


def test_no_two_servers_have_a_request_of_the_same_id(robot) -> None:
    async def do() -> None:
        async with (
            connected(robot, ASK) as one,
            connected(robot, ASK) as two,
            anyio.create_task_group() as group,
        ):
            for host in (one, two):
                group.start_soon(lambda host=host: host.call("do_skill", **HEAD_SHAKE))
            assert await newest(one, 1) != await newest(two, 1)
            group.cancel_scope.cancel()

    anyio.run(do)


def test_no_answer_is_a_refusal(robot, monkeypatch) -> None:
    monkeypatch.setattr(approval, "WAITS", 0.2)

    async def do() -> str:
        async with connected(robot, ASK) as host:
            return await host.error("do_skill", **HEAD_SHAKE)

    assert "did not agree" in anyio.run(do)


def test_what_is_too_long_to_be_shown_is_not_asked(robot) -> None:
    shakes = [{"type": "body", "action": "HEAD_SHAKE", "duration": 1 + i / 100} for i in range(100)]

    async def do() -> None:
        async with connected(robot, ASK) as host:
            error = await host.error("run_behavior", document={"type": "sequence", "behaviors": shakes})
            assert f"{approval.LONGEST} is the limit: send shorter documents" in error
            assert host.told == []

    anyio.run(do)
