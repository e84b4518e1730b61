# SPDX-License-Identifier: Apache-2.0
"""Checks that two nodes receive each other's messages."""

import os
import time
from collections.abc import Callable

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok

PATIENCE = 2.0  # s; discovery on one machine takes 0.1 to 0.4
TURN = 0.02  # s


def check_round_trip(seconds: float | None, error: str) -> Finding:
    """seconds: from creating two nodes to the answer of the second, None without one; error: why it failed."""
    if error:
        return fail("round trip", f"two nodes could not be made: {error}", "see the lines above")
    if seconds is None:
        return fail(
            "round trip",
            f"two nodes of one process did not hear each other within {PATIENCE:g} s",
            "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; look that no firewall stops UDP on the interface lo",
        )
    return ok("round trip", f"two nodes found and answered each other within {seconds:.2f} s")


def round_trip(clock: Callable[[], float] = time.monotonic) -> float | None:
    """Time (s) until a message came back from a node in another ROS context; None if it did not."""
    import rclpy
    from std_msgs.msg import String

    from embodiment_bridge.nodes.base.runtime import Runtime

    begun = clock()
    heard: list[float] = []
    there, back = (f"embodiment_bridge_doctor_{os.getpid()}/{name}" for name in ("there", "back"))
    with Runtime() as near, Runtime() as far:
        asker = near.add(rclpy.create_node("doctor_asks", context=near.context))
        answerer = far.add(rclpy.create_node("doctor_answers", context=far.context))
        question = asker.create_publisher(String, there, 1)
        answer = answerer.create_publisher(String, back, 1)
        answerer.create_subscription(String, there, answer.publish, 1)
        asker.create_subscription(String, back, lambda _: heard.append(clock() - begun), 1)
        while not heard and clock() - begun < PATIENCE:
            question.publish(String(data="anybody there?"))
            for runtime in (far, near):
                runtime.executor.spin_once(timeout_sec=TURN)
    return heard[0] if heard else None
