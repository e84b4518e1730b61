# SPDX-License-Identifier: Apache-2.0
"""A program that takes each goal of `execute_bml` and `execute_action_plan` and never ends it, not even canceled."""

import sys

import rclpy
from embodiment_bridge.action import ExecuteActionPlan, ExecuteBml
from rclpy.action import ActionServer, CancelResponse

from embodiment_bridge.launching.environment import prepare
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import stop_on_signals


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve until a signal comes; say each goal that was taken."""
    prepare()
    with stop_on_signals() as stopped, Runtime() as runtime:
        node = runtime.add(rclpy.create_node("stubborn", context=runtime.context))
        for kind, name in ((ExecuteBml, "execute_bml"), (ExecuteActionPlan, "execute_action_plan")):
            ActionServer(
                node,
                kind,
                name,
                execute_callback=lambda _: None,
                handle_accepted_callback=lambda _: say("taken"),
                cancel_callback=lambda _: CancelResponse.ACCEPT,
            )
        say("serves")
        runtime.spin(stopped)


if __name__ == "__main__":
    main()
