# SPDX-License-Identifier: Apache-2.0
"""CMA-ES search for the gait of a body file: python search.py BODY.yaml SECONDS [SEED].

Every candidate is tried with targets that come 1 cycle late, and 0, 2 or 3 in turn. Each improvement is printed as
lines for the body file. Needs rcsssmj, mujoco, numpy and cma from PyPI, and this repository on PYTHONPATH.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from multiprocessing import Pool
from pathlib import Path

import cma
import numpy as np
from robot_model import RobotModel
from scenarios import points

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription

USUAL_DELAY = 1
OTHER_DELAYS = (0, 2, 3)  # one of them per generation
CONFIRM = range(12)  # generations whose delays and seeds an improvement has to stand all of
TOGETHER = 2
HOPELESS = 2.0  # points with the usual delay below which the other is not tried
STIFF_CHANNELS = ("legs", "waist")


@dataclass(frozen=True)
class Number:
    """One number of the search: where it is, the step that CMA starts with, and its range."""

    group: str
    name: str
    scale: float
    lower: float
    upper: float


NUMBERS = (
    Number("parameters", "frequency", 0.25, 1.0, 3.2),
    Number("parameters", "height", 0.016, 0.95, 0.981),  # of the leg; higher is straighter and safer
    Number("parameters", "lift", 0.012, 0.025, 0.08),
    Number("parameters", "stride", 0.01, -0.1, 0.1),
    Number("parameters", "stride_v", 0.04, 0.0, 0.4),
    Number("parameters", "ahead", 0.01, -0.1, 0.1),
    Number("parameters", "ahead_v", 0.015, -0.1, 0.1),
    Number("parameters", "lean", 0.04, -0.2, 0.25),
    Number("parameters", "lean_v", 0.08, -0.25, 0.3),
    Number("parameters", "sway", 0.04, 0.0, 0.4),
    Number("parameters", "sway_phase", 0.08, -1.0, 1.0),
    Number("parameters", "ankle_sway", 0.3, -1.0, 2.0),
    Number("parameters", "droop", 0.06, -0.1, 0.4),
    Number("parameters", "inward", 0.025, -0.1, 0.12),
    Number("parameters", "twist", 0.03, 0.0, 0.35),
    Number("parameters", "arm_swing", 0.15, -0.4, 0.4),
    Number("parameters", "pitch_gain", 0.2, -1.0, 2.0),
    Number("parameters", "pitch_rate_gain", 0.04, -0.3, 0.4),
    Number("parameters", "place_gain", 0.05, -0.2, 0.4),
    Number("parameters", "backward_share", 0.05, 0.6, 0.8),
    Number("parameters", "swing_level", 0.1, 0.0, 1.0),
    Number("parameters", "side_gain", 0.05, -0.3, 0.4),
    Number("parameters", "roll_gain", 0.2, -1.0, 2.0),
    Number("parameters", "roll_rate_gain", 0.03, -0.3, 0.3),
    Number("parameters", "yaw_rate_gain", 0.02, -0.2, 0.2),
    Number("walk", "amplitude_rate", 1.0, 1.5, 12.0),
    Number("walk", "forward_rate", 1.0, 1.5, 12.0),
    Number("walk", "turn_rate", 1.0, 1.5, 12.0),
    Number("walk", "brake", 0.08, 0.01, 1.0),
    Number("walk", "settle_forward", 0.2, 0.0, 1.0),
    Number("walk", "coast_forward", 0.02, -0.2, 0.2),
    Number("walk", "coast_backward", 0.02, -0.2, 0.2),
    Number("walk", "coast_turn", 0.04, -0.4, 0.4),
    Number("gains", "kp", 40.0, 120.0, 400.0),
    Number("gains", "kd", 1.2, 2.5, 12.0),
)


def numbers_of(body: BodyDescription) -> tuple[Number, ...]:
    """The numbers of the search with the height in m."""
    leg = body.gait.lengths.thigh + body.gait.lengths.shank
    return tuple(
        replace(n, scale=n.scale * leg, lower=n.lower * leg, upper=n.upper * leg) if n.name == "height" else n
        for n in NUMBERS
    )


def vector_of(body: BodyDescription) -> np.ndarray:
    """The numbers of the search, as the body has them."""
    stiff = next(joint for joint in body.joints if joint.channel in STIFF_CHANNELS)
    group = {"parameters": body.gait.parameters, "walk": body.gait.walk, "gains": stiff}
    return np.array([getattr(group[number.group], number.name) for number in NUMBERS])


def body_with(body: BodyDescription, vector: Sequence[float]) -> BodyDescription:
    """The body with other numbers, each cut to its range."""
    values: dict[str, dict[str, float]] = {"parameters": {}, "walk": {}, "gains": {}}
    for number, value in zip(numbers_of(body), vector, strict=True):
        values[number.group][number.name] = float(min(max(value, number.lower), number.upper))
    gait = replace(
        body.gait,
        parameters=replace(body.gait.parameters, **values["parameters"]),
        walk=replace(body.gait.walk, **values["walk"]),
    )
    joints = tuple(replace(j, **values["gains"]) if j.channel in STIFF_CHANNELS else j for j in body.joints)
    return replace(body, gait=gait, joints=joints)


def lines_of(body: BodyDescription) -> str:
    """The numbers as lines for a body file."""
    lengths = ", ".join(f"{name}: {value:.6g}" for name, value in asdict(body.gait.lengths).items())
    lines, group = [f"  lengths: {{{lengths}}}"], ""
    for number, value in zip(NUMBERS, vector_of(body), strict=True):
        if number.group != group:
            group = number.group
            lines.append(f"  {group}:")
        lines.append(f"    {number.name}: {value:.4g}")
    return "\n".join(lines)


_models: dict[int, RobotModel] = {}


def cost(job: tuple[BodyDescription, Sequence[float], int]) -> float:
    """What CMA makes small: points, the mean and the worst of the delays, and how far numbers are out of range."""
    body, vector, generation = job
    candidate = body_with(body, vector)
    got: list[float] = []
    for delay in (USUAL_DELAY, OTHER_DELAYS[generation % len(OTHER_DELAYS)]):
        if delay not in _models:
            _models[delay] = RobotModel(body, delay)
        got.append(points(_models[delay], candidate, generation % 4 + delay))
        if got[0] < HOPELESS:
            break
    outside = np.abs(np.asarray(vector) - vector_of(candidate)) / [n.scale for n in numbers_of(body)]
    return -(np.mean(got) + 0.5 * min(got)) / 1.5 + 0.05 * float(outside.sum())


def main(path: str, seconds: float, seed: int) -> None:
    """Search for so long."""
    body = read_body(Path(path))
    body = replace(body, gait=replace(body.gait, lengths=RobotModel(body).leg_lengths(body.gait)))
    start, scale = vector_of(body), np.array([number.scale for number in numbers_of(body)])
    search = cma.CMAEvolutionStrategy(np.zeros(len(start)), 0.3, {"popsize": 16, "seed": seed, "verbose": -9})
    begun = time.monotonic()
    with Pool(int(os.environ.get("WORKERS", os.cpu_count() or 1))) as pool:

        def confirmed(vector: np.ndarray, best: float) -> float:
            worst = -np.inf
            for first in CONFIRM[::TOGETHER]:  # few at a time, for most candidates soon fail
                jobs = [(body, vector, generation) for generation in range(first, first + TOGETHER)]
                worst = max(worst, *pool.map(cost, jobs, chunksize=1))
                if worst >= best:
                    break
            return worst

        best = confirmed(start, np.inf)
        print(f"# the body file as it is: {-best:.2f}", flush=True)
        while time.monotonic() - begun < seconds:
            steps = search.ask()
            vectors = [start + scale * step for step in steps]
            costs = pool.map(cost, [(body, vector, search.countiter) for vector in vectors], chunksize=1)
            search.tell(steps, costs)
            print(
                f"# {time.monotonic() - begun:.0f} s: best {-min(costs):.2f}, mean {-np.mean(costs):.2f}",
                flush=True,
            )
            for vector in (vectors[int(np.argmin(costs))], start + scale * search.mean):
                if (value := confirmed(vector, best)) < best:
                    best = value
                    print(
                        f"# at least {-best:.2f} in every trial:\n{lines_of(body_with(body, vector))}",
                        flush=True,
                    )


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
