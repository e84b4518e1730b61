# SPDX-License-Identifier: Apache-2.0
"""A scripted host of a language model drives a body; what is said on both sides is shown."""

import threading
from concurrent.futures import Future

from embodiment_bridge.cli.demos.show import Show
from embodiment_bridge.cli.demos.stage import JOIN_TIMEOUT, Stage
from embodiment_bridge.cli.ending import OTHER
from embodiment_bridge.cli.terminal import say

PATIENCE_S = 240.0  # s of wall time
NEEDED = {"look", "mend", "interrupt", "stop"}  # of any body; not each can walk to a thing, or speak


def perform(stage: Stage) -> int:
    """Exit code 0 if everything was done that any body can do."""
    if not stage.wait(lambda: stage.watcher.link == "ready", JOIN_TIMEOUT):
        say(f"the body did not come within {JOIN_TIMEOUT:g} s: link {stage.watcher.link}")
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


SHOW = Show(
    "a scripted host of a language model drives the body by the Model Context Protocol",
    ("mock", "rcsssmj", "simspark", "maeden", "virtual_servos"),
    perform,
    "mcp",
)
