# SPDX-License-Identifier: Apache-2.0
"""Faults on the way of commands to the bodies that are simulated in the process of their node: they have no link."""

import random
from collections.abc import Callable
from itertools import count, pairwise
from math import isfinite, nan, sin
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, SkillRequest
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner

FILES = {"mock": "mock.yaml", "mujoco": "desk_humanoid.yaml"}
BODIES = tuple(FILES)
DT = 0.02  # s
BEGIN, END, LAST = 1.0, 3.0, 4.0  # s: of the fault, and of the commands
STILL_AFTER = 0.5  # s
CALM = 1.001 * DT  # s at the full speed of a joint, from step to step
Stream = Callable[[float, float], list[tuple[float, float]]]
"""When a command arrives and what it says then: of the time at which it was sent, and its angle."""

turn, chance = count(), random.Random(1)
STREAMS: dict[str, Stream] = {
    "lost": lambda t, angle: [(t, angle)] if next(turn) % 3 else [],
    "late": lambda t, angle: [(t + 0.3, angle)],
    "frozen": lambda t, angle: [(t, 0.1)],
    "not a number": lambda t, angle: [(t, nan)],
    "duplicated": lambda t, angle: [(t, angle)] * 2,
    "reordered": lambda t, angle: [(t + 0.1 * chance.random(), angle)],
    "in bursts": lambda t, angle: [((int(t * 2) + 1) / 2, angle)],
    "two at once": lambda t, angle: (
        [((int(t * 2) + 1) / 2 + 0.1 * chance.random(), angle)] * 2 if next(turn) % 3 else []
    ),
}


@pytest.mark.fault(
    "lost", body=("mock", "mujoco"), reaction="goes on; without any command it holds still within 0.5 s"
)
@pytest.mark.fault("late", body=("mock", "mujoco"), reaction="holds still until they come")
@pytest.mark.fault("frozen", body=("mock", "mujoco"), reaction="goes where it is told, and stays")
@pytest.mark.fault(
    "not a number", body=("mock", "mujoco"), reaction="refused with the joint and the value; holds still"
)
@pytest.mark.fault("duplicated", body=("mock", "mujoco"), reaction="goes on")
@pytest.mark.fault(
    "reordered",
    body=("mock", "mujoco"),
    reaction="the newest to arrive counts; no faster than the joint may go",
)
@pytest.mark.fault(
    "in bursts",
    body=("mock", "mujoco"),
    reaction="the newest to arrive counts; no faster than the joint may go",
)
@pytest.mark.fault(
    "two at once",
    body=("mock", "mujoco"),
    reaction="lost in part, in bursts, twice and out of order: no faster than the joint may go",
)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_of_joint_commands_with_a_fault(kind, body) -> None:
    description = read_body(Path(__file__).parents[2] / "config/bodies" / FILES[body])
    joint = description.joints[0]
    runner = MotionRunner(description, idle=False)
    state = BodyState(
        0.0, tuple(one.rest for one in description.joints), tuple(0.0 for _ in description.joints)
    )
    arriving: list[tuple[float, float]] = []
    angles: list[tuple[float, float]] = []
    for step in range(round((LAST + 1.0) / DT)):
        t = step * DT
        if t < LAST:
            sent = (t, joint.rest + 0.2 * sin(2.0 * t))
            arriving += STREAMS[kind](*sent) if BEGIN <= t < END else [sent]
        for item in sorted(item for item in arriving if item[0] <= t):
            arriving.remove(item)
            if isfinite(item[1]):
                runner.drive([joint.name], {"position": [item[1]]})
            else:
                with pytest.raises(CommandError, match=f"position of {joint.name} is nan"):
                    runner.drive([joint.name], {"position": [item[1]]})
        position = runner.step(state, DT).position
        state = BodyState(t, position, state.velocity)
        angles.append((t, position[0]))
    assert all(isfinite(angle) and joint.lower <= angle <= joint.upper for _, angle in angles)
    assert max(abs(b - a) for (_, a), (_, b) in pairwise(angles)) <= CALM * joint.velocity
    assert way(angles, 0.5, BEGIN) > 0.01
    assert way(angles, END + STILL_AFTER, LAST) > 0.01
    assert way(angles, LAST + STILL_AFTER, LAST + 1.0) == 0.0
    if kind in ("frozen", "not a number"):
        assert way(angles, BEGIN + STILL_AFTER, END - DT) == 0.0


@pytest.mark.fault(
    "stopped",
    body=("mock", "mujoco"),
    reaction="a process that goes on after a while goes on where its joints were",
)
@pytest.mark.fault(
    "clock jump", body="mock", reaction="goes on as after a usual step, forwards and backwards"
)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("gap", [0.3, 30.0, 1e9, -1e9])
def test_a_process_that_stood_still_or_whose_clock_jumped(gap, body) -> None:
    description = read_body(Path(__file__).parents[2] / "config/bodies" / FILES[body])
    runner = MotionRunner(description, idle=False)
    state = BodyState(
        0.0, tuple(one.rest for one in description.joints), tuple(0.0 for _ in description.joints)
    )
    runner.start(SkillRequest("1", "head_shake"))
    before = state.position
    for step in range(100):
        position = runner.step(state, gap if step == 30 else DT).position
        for joint, a, b in zip(description.joints, before, position, strict=True):
            assert abs(b - a) <= CALM * joint.velocity
        before, state = position, BodyState(step * DT, position, state.velocity)
    assert any(report.status.name == "SUCCEEDED" or report.progress for report in runner.take_reports())


def way(angles: list[tuple[float, float]], begin: float, end: float) -> float:
    """How far the joint went in that time, rad."""
    inside = [angle for t, angle in angles if begin < t <= end]
    return max(inside) - min(inside)
