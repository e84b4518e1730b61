# SPDX-License-Identifier: Apache-2.0
"""Demos of the desk humanoid: on virtual servos, and on a table in MuJoCo, where it is pushed twice."""

import math
from typing import TYPE_CHECKING, Final

from embodiment_bridge.cli.demos.stage import CALL_TIMEOUT, Show, Stage, own_document, say_lines
from embodiment_bridge.cli.ending import OTHER

if TYPE_CHECKING:
    from embodiment_bridge.msg import ServoStates

PUSHES: Final = (4.0, 30.0)  # N, to the side, each for PUSH_S
PUSH_S, SETTLE_S = 0.2, 2.5  # s of simulated time, which is slower than the clock on a busy machine
RATE: Final = 100.0  # percepts in a second of the simulation
PATIENCE_S: Final = 60.0


def _push_twice(stage: Stage) -> int:
    """Exit code as of the document; whether the robot stands after the pushes does not matter."""
    if not stage.join():
        return OTHER
    stage.begin(stage.document or own_document("on_a_table"))
    code = stage.finish()
    for force in PUSHES:
        answer = _push(stage, force)
        settle(stage)
        stage.status.end()
        posture = "stands" if stage.upright else f"HAS FALLEN, its base is at {stage.watcher.z:.2f} m"
        say_lines([f"pushed with {force:4g} N {answer or f'it {posture}'}"])
    return code


def settle(stage: Stage) -> None:
    """Wait until the push is over and the robot stands or lies."""
    end = stage.watcher.percepts + RATE * (PUSH_S + SETTLE_S)
    stage.wait(lambda: stage.watcher.percepts >= end, PATIENCE_S)


def _push(stage: Stage, force: float) -> str:
    """Push the torso to the left; return why it could not be done."""
    from geometry_msgs.msg import Vector3

    from embodiment_bridge.srv import Push

    client = stage.watcher.create_client(Push, "push")
    try:
        if not stage.wait(client.service_is_ready, CALL_TIMEOUT):
            return "there is no service push"
        answer = client.call_async(Push.Request(link="torso", force=Vector3(y=force), duration=PUSH_S))
        stage.wait(answer.done, CALL_TIMEOUT)
        return str(answer.result().message) if answer.done() else "no answer"
    finally:
        stage.watcher.destroy_client(client)


PUSH = Show("a desk humanoid on a table in MuJoCo moves, and is pushed", ("mujoco",), _push_twice)


def _move_servos(stage: Stage) -> int:
    """Perform the motion, and print the state of the servos. Exit code 1 also if one failed or stopped answering."""
    from embodiment_bridge.msg import ServoStates
    from embodiment_bridge.nodes.base.qos import profile

    seen: list[ServoStates] = []
    stage.watcher.create_subscription(ServoStates, "servo_states", seen.append, profile("state"))
    if not stage.join() or not stage.wait(lambda: bool(seen) and all(seen[-1].torque), CALL_TIMEOUT):
        return OTHER
    seen.clear()
    stage.begin(stage.document or own_document("first_steps"))
    code = stage.finish()
    say_lines(_servo_lines(seen))
    return code if code or _well(seen) else 1


def _well(seen: "list[ServoStates]") -> bool:
    """Return whether every servo was driven all the time, without errors."""
    return bool(seen) and all(all(state.torque) and not any(state.hardware_error) for state in seen)


def _servo_lines(seen: "list[ServoStates]") -> list[str]:
    if not seen:
        return ["servos             nothing was heard of them"]
    currents = [abs(current) for state in seen for current in state.current if math.isfinite(current)]
    last = seen[-1]
    return [
        f"servos             {len(last.names)}, {'all driven, no error' if _well(seen) else 'NOT ALL WELL'}",
        f"answers missing    {sum(last.timeouts)}, damaged {sum(last.damaged)}, oldest {max(last.age) * 1e3:.0f} ms",
        f"supply             {min(last.voltage):.1f} V, hottest servo {max(last.temperature):.0f} degrees Celsius, "
        f"largest current {max(currents, default=0.0):.2f} A",
    ]


SERVOS = Show(
    "a desk humanoid of virtual Dynamixel servos moves head, arms and legs", ("virtual_servos",), _move_servos
)
