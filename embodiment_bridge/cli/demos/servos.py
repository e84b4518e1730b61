# SPDX-License-Identifier: Apache-2.0
"""The desk humanoid on virtual servos moves head, arms and legs; then the state of its servos is printed."""

import math
import sys
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos.show import Show, own_document
from embodiment_bridge.cli.demos.stage import JOIN_TIMEOUT, Stage
from embodiment_bridge.cli.ending import OTHER, exit_code, where_and_why
from embodiment_bridge.cli.terminal import say

if TYPE_CHECKING:
    from embodiment_bridge.action import ExecuteBml
    from embodiment_bridge.msg import ServoStates


def perform(stage: Stage) -> int:
    """Perform the motion. Exit code 1 also if a servo failed or stopped answering."""
    from embodiment_bridge.msg import ServoStates
    from embodiment_bridge.nodes.base.qos import profile

    seen: list[ServoStates] = []
    stage.watcher.create_subscription(ServoStates, "servo_states", seen.append, profile("state"))
    watcher = stage.watcher
    if not stage.wait(
        lambda: (
            watcher.link == "ready" and bool(seen) and all(seen[-1].torque) and stage.client.server_is_there
        ),
        JOIN_TIMEOUT,
    ):
        say(f"the servos did not come within {JOIN_TIMEOUT:g} s: link {watcher.link} {watcher.reason}")
        return OTHER
    seen.clear()
    stage.begin(stage.document or own_document("first_steps"))
    result = stage.await_result()
    sys.stdout.writelines(f"{line}\n" for line in [*result.problems, *_summary(result, seen)])
    sys.stdout.flush()
    code = exit_code(result.outcome)
    return code if code or _well(seen) else 1


def _well(seen: "list[ServoStates]") -> bool:
    """Whether every servo was driven all the time, without errors."""
    return bool(seen) and all(all(state.torque) and not any(state.hardware_error) for state in seen)


def _summary(result: "ExecuteBml.Result", seen: "list[ServoStates]") -> list[str]:
    lines = [
        f"outcome            {result.outcome}{where_and_why(result)}",
        f"run time           {result.elapsed:.1f} s",
    ]
    if not seen:
        return [*lines, "servos             nothing was heard of them"]
    currents = [abs(current) for state in seen for current in state.current if math.isfinite(current)]
    last = seen[-1]
    return [
        *lines,
        f"servos             {len(last.names)}, {'all driven, no error' if _well(seen) else 'NOT ALL WELL'}",
        f"answers missing    {sum(last.timeouts)}, damaged {sum(last.damaged)}, oldest {max(last.age) * 1e3:.0f} ms",
        f"supply             {min(last.voltage):.1f} V, hottest servo {max(last.temperature):.0f} degrees Celsius, "
        f"largest current {max(currents, default=0.0):.2f} A",
    ]


SHOW = Show(
    "a desk humanoid of virtual Dynamixel servos moves head, arms and legs", ("virtual_servos",), perform
)
