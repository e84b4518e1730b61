# SPDX-License-Identifier: Apache-2.0
"""Checks that two nodes receive each other's messages."""

import os
import time
from collections.abc import Callable

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn

PATIENCE = 2.0  # s of one try; discovery on one machine takes 0.1 to 0.4
TRIES = 3
TURN = 0.02  # s


def check_round_trip(seconds: float | None, error: str) -> Finding:
    """seconds: until a node answered another, with all tries; None: it did not. error: why there were no nodes."""
    if error:
        return fail("round trip", f"two nodes could not be made: {error}", "see the lines above")
    if seconds is None:
        return fail(
            "round trip",
            f"two nodes of one process did not hear each other within {PATIENCE:g} s, in {TRIES} tries",
            f"if this computer is busy ({_load()}), try again later; export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; "
            "look that no firewall stops UDP on the interface lo",
        )
    if seconds > PATIENCE:
        return warn(
            "round trip",
            f"two nodes needed {seconds:.1f} s and more than one try to find each other",
            f"this computer may be busy ({_load()}); robots need time left on it",
        )
    return ok("round trip", f"two nodes found and answered each other within {seconds:.2f} s")


def round_trip(clock: Callable[[], float] = time.monotonic) -> float | None:
    """Time (s) until a message came back from a node in another ROS context; None if it did not in any try."""
    begun = clock()
    for _ in range(TRIES):
        if _answered(clock):
            return clock() - begun
    return None


def _answered(clock: Callable[[], float]) -> bool:
    import rclpy
    from std_msgs.msg import String

    from embodiment_bridge.nodes.base.runtime import Runtime

    begun = clock()
    heard: list[String] = []
    there, back = (f"embodiment_bridge_doctor_{os.getpid()}/{name}" for name in ("there", "back"))
    with Runtime() as near, Runtime() as far:
        asker = near.add(rclpy.create_node("doctor_asks", context=near.context))
        answerer = far.add(rclpy.create_node("doctor_answers", context=far.context))
        question = asker.create_publisher(String, there, 1)
        answer = answerer.create_publisher(String, back, 1)
        answerer.create_subscription(String, there, answer.publish, 1)
        asker.create_subscription(String, back, heard.append, 1)
        while not heard and clock() - begun < PATIENCE:
            question.publish(String(data="anybody there?"))
            for runtime in (far, near):
                runtime.executor.spin_once(timeout_sec=TURN)
    return bool(heard)


def _load() -> str:
    return f"its load is {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
