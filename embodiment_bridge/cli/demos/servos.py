# SPDX-License-Identifier: Apache-2.0
"""The desk humanoid on virtual servos moves head, arms and legs; then how its servos are."""

import math
import sys
from typing import Any

from embodiment_bridge.cli.demos.documents import own_document
from embodiment_bridge.cli.demos.show import Show
from embodiment_bridge.cli.demos.stage import JOIN_TIMEOUT, Stage
from embodiment_bridge.cli.outcome import OTHER, exit_code, where_and_why
from embodiment_bridge.cli.say import say


def perform(stage: Stage) -> int:
    """Exit code 1 also when a servo failed or fell silent."""
    from embodiment_bridge.msg import ServoStates
    from embodiment_bridge.nodes.base.qos import profile

    seen: list[Any] = []
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
    stage.wait(lambda: stage.result is not None)
    if stage.result is None:
        stage.client.cancel()
        stage.graph.spin(lambda: stage.result is not None)
    stage.status.end()
    sys.stdout.writelines(f"{line}\n" for line in [*stage.result.problems, *_summary(stage.result, seen)])
    sys.stdout.flush()
    code = exit_code(stage.result.outcome)
    return code if code or _well(seen) else 1


def _well(seen: list[Any]) -> bool:
    """Whether every servo was driven all the time, and none told an error."""
    return bool(seen) and all(all(state.torque) and not any(state.hardware_error) for state in seen)


def _summary(result: Any, seen: list[Any]) -> list[str]:
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
