# SPDX-License-Identifier: Apache-2.0
"""A program that serves `execute_bml` and `execute_action_plan` in a way of its own, the word that it is given.

* stubborn: it takes each goal and never ends it, not even canceled.
* deaf: it hears a goal, and never answers.
* talkative: it takes a goal, tells a new step every 0.1 s, and fails after 2 s.
"""

import sys
import time
from typing import Any

import rclpy
from embodiment_bridge.action import ExecuteActionPlan, ExecuteBml
from embodiment_bridge.msg import PlanActionStatus
from rclpy.action import ActionServer, CancelResponse, GoalResponse

from embodiment_bridge.launching.environment import prepare
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import stop_on_signals

STEPS, STEP_S = 20, 0.1


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def feedback(kind: Any, number: int) -> Any:
    """The feedback of a step, different from that of the step before."""
    if kind is ExecuteBml:
        return ExecuteBml.Feedback(state="RUNNING", doing=[f"STEP_{number}"])
    step = PlanActionStatus(name="step", status=1 + number % 2)
    return ExecuteActionPlan.Feedback(actions=[step])


def talk(kind: Any, goal: Any) -> Any:
    say("taken")
    for number in range(STEPS):
        goal.publish_feedback(feedback(kind, number))
        time.sleep(STEP_S)
    goal.abort()
    return kind.Result(outcome="FAILED")


def cancel(_: Any) -> CancelResponse:
    say("canceled")
    return CancelResponse.ACCEPT


def hear(_: Any) -> GoalResponse:
    say("taken")
    time.sleep(3600.0)
    return GoalResponse.ACCEPT


def main(way: str) -> None:
    """Serve until a signal comes; say each goal that was taken."""
    prepare()
    with stop_on_signals() as stopped, Runtime() as runtime:
        node = runtime.add(rclpy.create_node(way, context=runtime.context))
        for kind, name in ((ExecuteBml, "execute_bml"), (ExecuteActionPlan, "execute_action_plan")):
            others: dict[str, Any] = {
                "stubborn": {"handle_accepted_callback": lambda _: say("taken")},
                "deaf": {"goal_callback": hear},
                "talkative": {},
            }[way]
            ActionServer(
                node,
                kind,
                name,
                execute_callback=lambda goal, kind=kind: talk(kind, goal),
                cancel_callback=cancel,
                **others,
            )
        say("serves")
        runtime.spin(stopped)


if __name__ == "__main__":
    main(*sys.argv[1:])
