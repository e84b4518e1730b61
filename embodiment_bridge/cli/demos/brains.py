# SPDX-License-Identifier: Apache-2.0
"""Demos in which a brain moves the body: a scripted host of a language model, or a stand-in for an OpenCog OAC."""

import threading
from concurrent.futures import Future
from contextlib import ExitStack
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos.bodies import BODIES
from embodiment_bridge.cli.demos.stage import JOIN_TIMEOUT, Show, Stage, say_lines
from embodiment_bridge.cli.ending import OTHER
from embodiment_bridge.cli.terminal import say

if TYPE_CHECKING:
    from embodiment_bridge.standins.oac.brain import Brain

PATIENCE_S = 240.0  # s of wall time
NEEDED = {"look", "mend", "interrupt", "stop"}  # what any body can do; not each can walk to a thing, or speak


def _mcp(stage: Stage) -> int:
    """Exit code 0 if everything was done that any body can do."""
    if not stage.await_body():
        return OTHER
    ended: Future[list[str]] = Future()
    thread = threading.Thread(target=_host, args=(ended,), name="host", daemon=True)
    thread.start()
    stage.wait(ended.done, PATIENCE_S)
    if not ended.done():
        say("interrupted, or the host has not ended in time")
        return OTHER
    thread.join()
    done = ended.result()
    say(f"done               {', '.join(done)}")
    return 0 if set(done) >= NEEDED else 1


def _host(ended: "Future[list[str]]") -> None:
    import anyio

    try:
        ended.set_result(anyio.run(_drive))
    except Exception as error:  # noqa: BLE001 - handed to the thread that shows the demo
        ended.set_exception(error)


async def _drive() -> list[str]:
    import anyio
    from mcp.client.client import Client

    from embodiment_bridge.mcp_server.host import SOURCE, Options
    from embodiment_bridge.mcp_server.server import RobotServer
    from embodiment_bridge.robot.robot import Robot
    from embodiment_bridge.standins.mcp_host.script import ScriptedHost

    robot = await anyio.to_thread.run_sync(lambda: Robot(source=SOURCE, wait=JOIN_TIMEOUT))
    with robot:
        async with Client(RobotServer(robot, Options(), say), mode="legacy") as client:
            host = ScriptedHost(client, say)
            await host.perform()
    for step, why in host.not_done.items():
        say(f"not done           {step}: {why}")
    return host.done


MCP = Show(
    "a scripted host of a language model drives the body by the Model Context Protocol",
    ("mock", "rcsssmj", "simspark", "maeden", "virtual_servos"),
    _mcp,
    "mcp",
)
AGENT = "fido"
EVERYTHING = ""
SCRIPTS = {  # script, its number of plans, and the action that has to be done; a soccer robot cannot grab
    "mock": ("demo", 2, EVERYTHING),
    "rcsssmj": ("visit", 1, "walk"),
    "simspark": ("visit", 1, "walk"),
    "maeden": ("round", 1, EVERYTHING),
    "virtual_servos": ("greet", 1, EVERYTHING),
}


def _opencog_words(port: int, afterwards: ExitStack) -> list[str]:
    return [f"router_port:={port}", f"agent:={AGENT}", "on_error:=continue"]


def _opencog(stage: Stage) -> int:
    """Exit code 0 if each action of each plan was reported once and those that the body can do were done."""
    from embodiment_bridge.standins.oac.stand_in import OacPeer

    script, plans, least = next(SCRIPTS[name] for name in SCRIPTS if BODIES[name] is stage.body)
    if not stage.await_body():
        return OTHER
    peer = OacPeer(port=stage.port, oac=AGENT, script=script, verbose=True)
    brain = stage.afterwards.enter_context(peer).brains[AGENT]
    stage.wait(lambda: len(brain.record.outcomes) >= plans, PATIENCE_S)
    stage.status.end()
    say_lines(_summary(brain))
    return 0 if len(brain.record.outcomes) >= plans and _went_well(brain, least) else 1


def _reported(brain: "Brain") -> tuple[int, int]:
    """Count the actions of all plans, and those that were reported exactly once.

    Whatever is gone through here is copied first: the brain goes on on a thread of its own.
    """
    planned = [(plan.id, action.sequence) for plan in list(brain.record.plans) for action in plan.actions]
    told = [(report.plan_id, report.sequence) for report in list(brain.record.reports)]
    return len(planned), sum(told.count(one) == 1 for one in planned)


def _went_well(brain: "Brain", least: str) -> bool:
    planned, told = _reported(brain)
    done = {report.name for report in list(brain.record.reports) if report.status == "done"}
    everything = all(outcome == "done" for outcome in list(brain.record.outcomes.values()))
    return (
        planned == told
        and (everything if least == EVERYTHING else least in done)
        and not brain.record.problems
    )


def _summary(brain: "Brain") -> list[str]:
    planned, told = _reported(brain)
    done = sum(report.status == "done" for report in list(brain.record.reports))
    ball = [(x, y) for name, x, y in list(brain.record.places) if "ball" in name]
    places = len(dict.fromkeys(ball))
    outcomes = ", ".join(f"{name}: {outcome}" for name, outcome in list(brain.record.outcomes.items()))
    lines = [
        f"plans              {outcomes or 'none ended'}",
        f"actions            {planned}, reported once {told}, done {done}",
        f"the OAC was told   {brain.record.messages} messages, {len(brain.record.problems)} of them dropped",
        f"it knows           {', '.join(sorted(brain.known))}",
    ]
    if ball:
        (x0, y0), (x1, y1) = ball[0], ball[-1]
        moved = f"from {x0:.0f}, {y0:.0f} to {x1:.0f}, {y1:.0f} mm"
        lines.append(f"the ball           seen at {places} places, {moved}")
    return lines


OPENCOG = Show(
    "an OpenCog OAC (stand-in) walks a body to the ball, or moves it as far as it can",
    tuple(SCRIPTS),
    _opencog,
    "opencog",
    _opencog_words,
)
