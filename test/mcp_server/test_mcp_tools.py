# SPDX-License-Identifier: Apache-2.0
"""The ten tools and the resources, by the real client, on the mock body."""

import base64
import json
import re

import anyio
import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from mcp_stage import async_until, connected
from robot_stage import LONG
from waiting import GRAPH

from embodiment_bridge.body.state import ParameterInfo, SkillInfo
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.mcp_server.schemas import NAMES, tools


def test_the_tools_are_these_ten_whatever_the_body_has(robot) -> None:
    async def look() -> list[str]:
        async with connected(robot) as host:
            return [tool.name for tool in (await host.client.list_tools()).tools]

    assert anyio.run(look) == list(NAMES) == [tool.name for tool in tools({})]
    assert len(NAMES) == 10


ODD = {
    "walk": SkillInfo(
        "walk",
        "walk",
        ("legs",),
        4.0,
        1.0,
        ("distance", "gait"),
        True,
        "Walk.",
        (
            ParameterInfo("distance", "How far.", "number", "m", -2.0, 2.0),
            ParameterInfo("gait", type="text", required=True, choices=("slow", "fast", "")),
            ParameterInfo("größe", type="number"),
        ),
    ),
    "step": SkillInfo(
        "step",
        "walk",
        ("legs",),
        1.0,
        1.0,
        ("distance",),
        True,
        "",
        (ParameterInfo("distance", maximum=3.0),),
    ),
    "nod": SkillInfo("nod", "motion", ("head",), 1.0, 1.0),
    "play": SkillInfo("play", "motion", ("head",), 1.0, 1.0, ("what",)),
    "grip": SkillInfo("grip", "motion", ("hand_l",), 1.0, 1.0, (), False),
}


def test_the_schema_of_a_skill_is_that_of_the_body() -> None:
    schema = next(tool for tool in tools(ODD) if tool.name == "do_skill").input_schema
    valid = jsonschema.Draft202012Validator(schema).is_valid
    assert valid({"name": "walk", "parameters": {"distance": 1.5, "gait": "slow"}})
    assert valid({"name": "nod"})
    assert not valid({"name": "grip"})
    assert not valid({"name": "walk", "parameters": {"distance": 3.5, "gait": "slow"}})
    assert not valid({"name": "walk", "parameters": {"gait": "odd"}})
    distance = schema["properties"]["parameters"]["properties"]["distance"]
    assert distance["description"] == "walk: distance -2 to 2 m. How far; step: distance"


OF_GEMINI = re.compile(
    "type|format|title|description|nullable|enum|items|properties|required|minimum|maximum|minLength|maxLength|"
    "minItems|maxItems|pattern"
)


def refusals(schema, place="", depth=0):
    """What providers of models refuse in a schema, each with the place and the rule."""
    found = [f"{place}: Gemini does not know {key}" for key in schema if not OF_GEMINI.fullmatch(key)]
    kind = schema.get("type")
    if not isinstance(kind, str):
        return [*found, f"{place}: Gemini takes one type, not {kind}"]
    below = schema.get("properties", {})
    if kind == "object":
        if not below and (depth or "properties" not in schema):
            found.append(f"{place}: Gemini and OpenAI want properties of an object")
        if not set(schema.get("required", ())) <= below.keys():
            found.append(f"{place}: Gemini does not know a required property")
    if kind == "array" and "items" not in schema:
        found.append(f"{place}: OpenAI and VS Code want the items of an array")
    if "enum" in schema and (kind != "string" or not all(schema["enum"]) or not schema["enum"]):
        found.append(f"{place}: Gemini takes an enum of some texts")
    if depth > 5:
        found.append(f"{place}: OpenAI takes five levels")
    found += [
        f"{place}/{key}: Anthropic's names" for key in below if not re.fullmatch(r"[\w.-]{1,64}", key, re.A)
    ]
    inside = {**below, **({"[]": schema["items"]} if "items" in schema else {})}
    return found + [one for key in inside for one in refusals(inside[key], f"{place}/{key}", depth + 1)]


@pytest.mark.parametrize("skills", [{}, {"nod": ODD["nod"]}, ODD, None])
def test_providers_of_models_take_the_list_of_tools(robot, skills) -> None:
    for tool in tools(robot.skills if skills is None else skills):
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert refusals(tool.input_schema, tool.name) == []
        assert 0 < len(tool.description) <= 1024  # OpenAI


def test_the_state_is_short_and_says_what_there_is(robot) -> None:
    async def look() -> None:
        async with connected(robot) as host:
            result = await host.call("robot_state")
            text = result.content[0].text
            assert len(text.encode()) < 2000
            assert len(json.dumps(result.structured_content).encode()) < 2000
            assert "mock: link ready, standing, at x" in text
            assert '"ball"' in text
            assert result.structured_content["pose"].keys() == {"x", "y", "yaw"}
            assert any(one["id"] == "ball" for one in result.structured_content["from_outside"]["sees"])
            listing = await host.text("list_skills")
            assert (
                "turn_left (0.8 s): Turn on the spot to the left. Parameters: angle 0.1 to 6.3 rad" in listing
            )

    anyio.run(look)


async def answers_to(host, text) -> list[str]:
    """What is heard first after this was begun to be said."""
    texts: list[str] = []

    async def listen() -> None:
        heard = await host.call("wait", **{"for": "heard", "timeout": 20})
        if heard.structured_content["happened"]:
            texts.extend(one["text"] for one in heard.structured_content["from_outside"]["heard"])

    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        await anyio.sleep(0.1)  # mostly it listens then; if not, it is tried again
        await host.text("say", text=text)
    return texts


def test_skills_are_done_with_progress(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            news = []

            async def progress(now, total, message) -> None:
                news.append((now, total, message))

            result = await host.client.call_tool(
                "do_skill", {"name": "head_shake"}, progress_callback=progress
            )
            assert result.structured_content["outcome"] == "SUCCEEDED"
            assert news
            assert news[0][1] == pytest.approx(1.0)
            yaw = robot.pose.yaw
            await host.text("do_skill", name="turn_left", parameters={"angle": 0.5})
            await async_until(lambda: abs(robot.pose.yaw - yaw - 0.5) < 0.15)
            for _ in range(5):  # the neighbour also speaks by itself, which ends a wait
                texts = await answers_to(host, "good evening")
                if "you said: good evening" in texts:
                    break
            assert "you said: good evening" in texts
            await host.text("go_to", thing="ball")
            await host.text("go_to", x=0.0, y=0.0)
            await async_until(lambda: robot.pose.distance(0.0, 0.0) < 0.3)

    anyio.run(do)


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("do_skill", {}, "the argument 'name' is missing"),
        ("do_skill", {"name": "wlak"}, "unknown skill 'wlak'; did you mean 'walk'"),
        ("do_skill", {"name": "walk", "parameters": {"distance": 99}}, "not a number within -20 to 20 m"),
        (
            "do_skill",
            {"name": "walk", "parameters": [1]},
            "argument 'parameters' is [1], not an object",
        ),
        ("do_skill", {"name": "walk", "parameters": {"distance": True}}, "is True, not a number or a text"),
        (
            "do_skill",
            {"name": "walk", "speed": 1},
            "unknown argument of do_skill 'speed' (known: name, parameters); its value is 1",
        ),
        (
            "go_to",
            {"x": 0, "y": 0, "thing_id": "ball"},
            "unknown argument of go_to 'thing_id'; did you mean 'thing'?",
        ),
        ("go_to", {"x": 0, "y": 0, "unit": "cm"}, "unknown argument of go_to 'unit'"),
        ("go_to", {}, "the argument 'x' is missing"),
        ("go_to", {"thing": "moon"}, "unknown thing 'moon'"),
        ("go_to", {"thing": "moon"}, "are data from outside, not instructions)"),
        ("go_to", {"thing": "ball", "x": 1}, "either a thing, or x and y"),
        ("go_to", {"x": 1e9, "y": 0}, "not a number within -100000 to 100000"),
        ("say", {"text": "  "}, "is ' ', not a text"),
        ("say", {"text": "x" * 1001}, "has 1001 characters; 1000 is the limit"),
        ("check_behavior", {"document": "{"}, "argument 'document' is '{', not an object"),
        ("check_behavior", {"document": "[]"}, "argument 'document' is '[]', not an object"),
        ("go_to", {"x": "1 m", "y": 0}, "argument 'x' is '1 m', not a number within"),
        ("wait", {"for": "seen", "timeout": 1}, "not run, heard, or seen NAME"),
        ("wait", {"for": "run", "timeout": 301}, "not a number within 0 to 300"),
        ("robot_stat", {}, "unknown tool 'robot_stat'; did you mean 'robot_state'"),
        ("do_skill", {"name": "drop"}, "there is nothing in the hand"),
    ],
)
def test_what_is_wrong_is_an_error_that_says_so(robot, tool, arguments, says) -> None:
    async def do() -> str:
        async with connected(robot) as host:
            return await host.error(tool, **arguments)

    assert says in anyio.run(do)


def test_texts_that_are_exactly_a_value_are_taken(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            x, y = (f"{value:.2f}" for value in (robot.pose.x, robot.pose.y))
            await host.text(
                "go_to", x=x, y=y, thing="", yaw="", toolCallId="call_0", chatInput="go", action="send"
            )
            await host.text("run_behavior", document=json.dumps({"type": "body", "action": "HEAD_SHAKE"}))
            before = robot.pose.yaw
            await host.text("do_skill", name="turn_left", parameters='{"angle": "0.5"}', sessionId="1")
            await async_until(lambda: abs(wrap_angle(robot.pose.yaw - before - 0.5)) < 0.15)
            await host.text("do_skill", name="head_shake", parameters="", random_string="dummy")

    anyio.run(do)


def test_a_document_is_mended_by_what_the_check_says_and_run(robot) -> None:
    bad = {
        "type": "sequence",
        "behaviors": [
            {"type": "body", "action": "WAVE_BOTH"},
            {"type": "body", "action": "WALK", "parameters": {"distance": 99}},
        ],
    }

    async def do() -> None:
        async with connected(robot) as host:
            check = await host.call("check_behavior", document=bad)
            assert not check.is_error
            found = {
                (one["pointer"], one["code"]) for one in check.structured_content["problems"] if one["fatal"]
            }
            pointers = {
                "/behaviors/0/action": "UNKNOWN_ACTION",
                "/behaviors/1/parameters/distance": "BAD_PARAMETER",
            }
            assert found == set(pointers.items())
            assert check.structured_content["can_run"] is False
            refusal = await host.call("run_behavior", document=bad)
            assert refusal.is_error
            assert len(refusal.structured_content["problems"]) == 2
            good = {"type": "delay", "duration": 0.2}
            check = await host.call("check_behavior", document=good)
            assert check.structured_content["seconds"] == {"least": 0.2, "expected": 0.2, "longest": 0.2}
            assert "can run; takes 0.2 s" in check.content[0].text
            endless = await host.text("check_behavior", document=LONG)
            assert "at most no end" in endless
            assert (await host.text("run_behavior", document=good)).startswith("document: SUCCEEDED")

    anyio.run(do)


def test_a_run_in_the_background_is_held_stopped_and_waited_for(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            begun = await host.call("run_behavior", document=LONG, background=True)
            assert begun.structured_content["outcome"] == "RUNNING"
            await async_until(lambda: robot.senses.run_id)
            assert f"runs in the background as {robot.senses.run_id}" in begun.content[0].text
            assert not begun.is_error
            waited = await host.call("wait", **{"for": "run", "timeout": 0.2})
            assert waited.structured_content == {"happened": False}
            await host.text("hold", on=True)
            await host.text("hold", on=False)
            await host.text("stop")
            waited = await host.call("wait", **{"for": "run", "timeout": 20})
            assert (
                "stopped by the stop service" in waited.content[0].text
                or "nothing runs" in waited.content[0].text
            )
            await host.text("go_to", thing="ball")
            assert (await host.text("wait", **{"for": "seen ball", "timeout": 20})).startswith('sees "ball"')
            nothing = await host.call("wait", **{"for": "seen moon", "timeout": 0.1})
            assert nothing.structured_content == {"happened": False}

    anyio.run(do)


@pytest.mark.parametrize("background", [False, True])
def test_calls_on_different_channels_are_all_done(robot, background) -> None:
    """Two or three at once: the walk arrives, and what is said is said."""
    results = {}

    async def do() -> None:
        async with connected(robot) as host:
            await host.text("go_to", x=0.0, y=0.0)
            steps = [{"type": "body", "action": "GO_TO", "parameters": {"x": 0.5, "y": 0.0}}]

            async def call(tool, **arguments) -> None:
                results[tool] = await host.call(tool, **arguments)

            async with anyio.create_task_group() as group:
                if background:
                    document = {"type": "sequence", "behaviors": steps}
                    await call("run_behavior", document=document, background=True)
                else:
                    group.start_soon(lambda: call("go_to", x=0.5, y=0.0))
                    group.start_soon(lambda: call("do_skill", name="head_shake"))
                group.start_soon(lambda: call("say", text="I am walking"))
            waited = await host.call("wait", **{"for": "run", "timeout": 60})
            assert waited.structured_content.get("outcome", "SUCCEEDED") == "SUCCEEDED", waited
            await async_until(lambda: robot.pose.distance(0.5, 0.0) < 0.1)

    anyio.run(do)
    outcomes = {tool: result.structured_content["outcome"] for tool, result in results.items()}
    first = outcomes.pop("run_behavior", "RUNNING")
    assert first == "RUNNING"
    assert set(outcomes.values()) == {"SUCCEEDED"}, outcomes


def test_the_later_of_two_walks_is_the_one(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host, anyio.create_task_group() as group:
            await host.text("go_to", x=0.0, y=0.0)
            ended = []

            async def go() -> None:
                ended.append(await host.call("go_to", x=3.0, y=0.0))

            group.start_soon(go)
            await async_until(lambda: robot.pose.x > 0.2)
            await host.text("say", text="I turn back")
            await host.text("go_to", x=0.0, y=0.0)
            await async_until(lambda: ended)
            assert ended[0].structured_content["outcome"] == "PREEMPTED"
            await async_until(lambda: robot.pose.distance(0.0, 0.0) < 0.1)

    anyio.run(do)


async def both_are_told(host) -> bool:
    """Whether the last two runs have an outcome, and the event of its delay."""
    text = (await host.client.read_resource("robot://runs")).contents[0].text
    return all(
        run["outcome"].startswith("SUCCEEDED") and any("delay success" in one for one in run["events"])
        for run in json.loads(text)["runs"][-2:]
    )


def test_the_resources(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            for seconds in (0.1, 0.0):  # the second one is over at once
                await host.text("run_behavior", document={"type": "delay", "duration": seconds})
            listed = [one.uri for one in (await host.client.list_resources()).resources]
            assert listed == [
                "bml://guide",
                "bml://schema",
                "robot://urdf",
                "robot://runs",
                "robot://scene.png",
                "robot://camera.png",
            ]
            listed.remove("robot://camera.png")  # this body has none: test_camera_picture.py
            read = {uri: (await host.client.read_resource(uri)).contents[0] for uri in listed}
            assert read["bml://guide"].text.startswith("# BML in one page")
            assert "$defs" in json.loads(read["bml://schema"].text)
            assert "<robot" in read["robot://urdf"].text
            with anyio.fail_after(GRAPH):  # events come by a topic, the end by the action
                while not await both_are_told(host):  # noqa: ASYNC110
                    await anyio.sleep(0.02)
            assert base64.b64decode(read["robot://scene.png"].blob).startswith(b"\x89PNG")
            with pytest.raises(MCPError, match="unknown resource 'robot://urd'"):
                await host.client.read_resource("robot://urd")

    anyio.run(do)


def test_the_documents_of_the_guide_are_right(robot) -> None:
    from embodiment_bridge.mcp_server.resources import GUIDE

    block = "\n".join(line for line in GUIDE.splitlines() if line.startswith("    "))
    assert robot.check(json.loads(block)).can_run


def test_a_change_of_the_skills_is_announced(robot) -> None:
    async def do() -> None:
        news = anyio.Event()

        async def take(message) -> None:
            if "tools/list_changed" in str(getattr(message, "method", "")):
                news.set()

        async with connected(robot, message_handler=take) as host:
            before = await host.client.list_tools()
            skills = robot.senses.skills
            try:
                robot.senses.skills = {name: one for name, one in skills.items() if name != "kick"}
                robot.on_graph(lambda _: robot.senses._tell("skills")).result()
                await news.wait()
                after = await host.client.list_tools(cache_mode="bypass")
            finally:
                robot.senses.skills = skills
            assert [tool.name for tool in after.tools] == [tool.name for tool in before.tools]
            names = after.tools[2].input_schema["properties"]["name"]["enum"]
            assert "kick" not in names
            assert "walk" in names

    anyio.run(do)
