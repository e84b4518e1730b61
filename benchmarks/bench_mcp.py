# SPDX-License-Identifier: Apache-2.0
"""How much longer a language model's host waits than a ROS client until its goal is accepted.

    python benchmarks/bench_mcp.py

One robot (`embodiment_bridge up bringup.launch.xml body:=mock`) runs in a process, `embodiment_bridge mcp` in another
on standard input and output. In turn, the real client of the protocol calls run_behavior in the background, which
answers when the goal is accepted and its run has begun (its first feedback), and a ROS client here sends the same
document with execute_bml and waits for the same. Each run is ended by its client's stop before the next one.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from processes import Child, isolate
from rows import percentile, row

from embodiment_bridge.robot.robot import Robot

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "scripts/embodiment_bridge"
GOALS = 100
WARM_UP = 5
PATIENCE = 60.0  # s
DOCUMENT = {"type": "delay", "duration": 30}
MORE = 5.0  # ms


def run(goals: int = GOALS) -> list[dict[str, Any]]:
    """Measure: times of both clients, and the difference of their medians."""
    isolate()
    with (
        Child(sys.executable, PROGRAM, "up", "bringup.launch.xml", "body:=mock", talks=False),
        Robot(source="benchmark", wait=PATIENCE) as robot,
    ):
        host, ros = asyncio.run(measure(robot, goals))
    middle = percentile(host, 0.5), percentile(ros, 0.5)
    return [
        row("tool call to goal accepted, p50", round(middle[0], 2), "ms"),
        row("the same of a ROS client, p50", round(middle[1], 2), "ms"),
        row("more than a ROS client, p50", round(middle[0] - middle[1], 2), "ms", at_most=MORE),
        row("tool call to goal accepted, p95", round(percentile(host, 0.95), 2), "ms"),
        row("the same of a ROS client, p95", round(percentile(ros, 0.95), 2), "ms"),
    ]


async def measure(robot: Robot, goals: int) -> tuple[list[float], list[float]]:
    """Times of the host of a model and of the ROS client, ms."""
    server = StdioServerParameters(
        command=sys.executable, args=[str(PROGRAM), "mcp", "--wait", f"{PATIENCE:g}"], env=dict(os.environ)
    )
    host, ros = [], []
    async with Client(stdio_client(server)) as client:
        for _ in range(WARM_UP + goals):
            host.append(await by_tool(client))
            ros.append(by_ros(robot))
    return host[WARM_UP:], ros[WARM_UP:]


async def by_tool(client: Client) -> float:
    """The time of one call, ms."""
    begun = time.perf_counter()
    result = await client.call_tool("run_behavior", {"document": DOCUMENT, "background": True})
    spent = time.perf_counter() - begun
    if result.is_error:
        raise RuntimeError(result.content[0].text)
    await client.call_tool("stop", {})
    await client.call_tool("wait", {"for": "run", "timeout": 10})
    return 1e3 * spent


def by_ros(robot: Robot) -> float:
    """The time of one goal, ms."""
    begun = time.perf_counter()
    going = robot.start(json.dumps(DOCUMENT))
    accepted = going.began.result(PATIENCE)
    spent = time.perf_counter() - begun
    if not accepted:
        raise RuntimeError(str(going.ended.result()))
    robot.stop()
    going.ended.result(PATIENCE)
    return 1e3 * spent


if __name__ == "__main__":
    from run import show

    show(run())
