# SPDX-License-Identifier: Apache-2.0
"""A dance with eye colours that is paused half way: clock, motion and lights stop, and go on where they were."""

import math

from embodiment_bridge.cli.demos.show import Show, own_document
from embodiment_bridge.cli.demos.stage import Stage
from embodiment_bridge.cli.terminal import say

PAUSE_S = 2.0  # s of wall time
PATIENCE_S = 30.0  # s of wall time for each of pause and resume


def perform(stage: Stage) -> int:
    """Perform the dance. Exit code 1 also if the pause did not work."""
    if not stage.join():
        return stage.not_joined
    stage.begin(stage.document or own_document("dance"))
    held = _pause_half_way(stage)
    code = stage.finish()
    return code if held or code else 1


def _pause_half_way(stage: Stage) -> bool:
    """Pause and resume the dance; returns whether it stood still between."""
    stage.wait(lambda: stage.result is not None or _is_half_way(stage))
    if stage.result is not None or stage.stopped():
        return False
    if not stage.call("pause") or not stage.wait(lambda: stage.feedback.state == "PAUSED", PATIENCE_S):
        say("the dance could not be paused")
        return False
    before = stage.feedback.elapsed
    say(f"paused at {before:.2f} s of the dance")
    stage.wait(lambda: False, PAUSE_S)
    stood = stage.feedback.elapsed == before
    say(f"going on at {stage.feedback.elapsed:.2f} s")
    return stage.call("resume") and stood


def _is_half_way(stage: Stage) -> bool:
    feedback = stage.feedback
    return math.isfinite(feedback.expected) and feedback.elapsed >= feedback.expected / 2


SHOW = Show(
    "a dance with eye colours, paused and resumed half way",
    ("rcsssmj", "mock", "simspark", "virtual_servos"),
    perform,
)
