# SPDX-License-Identifier: Apache-2.0
"""CMA-ES search for the gait of a body file: python search.py BODY.yaml SECONDS [SEED] [STATE].

The speeds under ``walk`` in the body file are the aim. Every candidate is tried with targets that come 1 cycle late,
and every second generation also 0, 2 or 3. Each improvement is printed as lines for the body file; a number at the end
of its range is named. STATE is a file that the search writes after each generation and goes on from if it is there.
Needs rcsssmj, mujoco, numpy and cma from PyPI, and this repository on PYTHONPATH.
"""

import os
import pickle
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from multiprocessing import Pool
from pathlib import Path

import cma
import numpy as np
from command_line import add_search, options
from drives import points
from robot_model import RobotModel

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.carriers.gait import gait_of
from embodiment_bridge.body.description import BodyDescription

USUAL_DELAY = 1
OTHER_DELAYS = (0, 2, 3)  # one of them per generation
# (delay, seed) of the trials that judge
CONFIRM = ((1, 100), (0, 101), (2, 102), (3, 103), (1, 104), (2, 105))
TOGETHER = 2
EDGE = 0.02  # share of its range within which a number counts as at the end of it
HOPELESS = 6.0  # points with the usual delay below which the other is not tried
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
    Number("parameters", "frequency", 0.2, 1.0, 3.5),
    Number("parameters", "frequency_v", 0.1, -0.5, 1.0),
    Number("parameters", "height", 0.012, 0.9, 0.99),  # of the leg; higher is straighter and safer
    Number("parameters", "lift", 0.01, 0.02, 0.12),
    Number("parameters", "lift_v", 0.005, -0.02, 0.06),
    Number("parameters", "stride", 0.008, -0.1, 0.1),
    Number("parameters", "stride_v", 0.03, 0.0, 0.6),
    Number("parameters", "ahead", 0.01, -0.15, 0.15),
    Number("parameters", "ahead_v", 0.015, -0.2, 0.2),
    Number("parameters", "lean", 0.03, -0.3, 0.3),
    Number("parameters", "lean_v", 0.06, -0.4, 0.4),
    Number("parameters", "sway", 0.02, -0.1, 0.4),
    Number("parameters", "sway_v", 0.01, -0.1, 0.1),
    Number("parameters", "sway_phase", 0.05, -1.0, 1.0),
    Number("parameters", "ankle_sway", 0.3, -1.0, 3.0),
    Number("parameters", "droop", 0.03, -0.1, 0.4),
    Number("parameters", "droop_v", 0.01, -0.1, 0.1),
    Number("parameters", "inward", 0.015, -0.1, 0.12),
    Number("parameters", "twist", 0.02, 0.0, 0.5),
    Number("parameters", "side", 0.015, 0.0, 0.3),
    Number("parameters", "capture_x", 0.04, -0.2, 0.6),
    Number("parameters", "capture_y", 0.04, -0.2, 0.6),
    Number("parameters", "sway_speed", 0.04, -0.6, 0.6),
    Number("parameters", "sway_speed_phase", 0.08, -1.0, 1.0),
    Number("parameters", "timing_gain", 0.15, -2.0, 2.0),
    Number("parameters", "hip_gain", 0.08, -1.0, 1.5),
    Number("parameters", "hip_rate_gain", 0.02, -0.3, 0.4),
    Number("parameters", "pitch_gain", 0.15, -1.0, 2.0),
    Number("parameters", "pitch_rate_gain", 0.03, -0.3, 0.4),
    Number("parameters", "place_gain", 0.04, -0.4, 0.4),
    Number("parameters", "backward_share", 0.05, 0.3, 1.0),
    Number("parameters", "swing_level", 0.1, 0.0, 1.0),
    Number("parameters", "swing_roll", 0.1, 0.0, 1.0),
    Number("parameters", "side_gain", 0.04, -0.4, 0.4),
    Number("parameters", "roll_gain", 0.15, -1.0, 2.0),
    Number("parameters", "roll_rate_gain", 0.03, -0.3, 0.3),
    Number("parameters", "yaw_rate_gain", 0.02, -0.2, 0.2),
    Number("walk", "amplitude_rate", 0.6, 1.5, 12.0),
    Number("walk", "forward_rate", 0.6, 0.5, 12.0),
    Number("walk", "turn_rate", 0.8, 0.5, 12.0),
    Number("walk", "left_rate", 0.6, 0.5, 12.0),
    Number("gains", "kp", 30.0, 100.0, 500.0),
    Number("gains", "kd", 1.0, 2.0, 20.0),
)


def numbers_of(body: BodyDescription) -> tuple[Number, ...]:
    """The numbers of the search with the height in m."""
    leg = gait_of(body).lengths.thigh + gait_of(body).lengths.shank
    return tuple(
        replace(n, scale=n.scale * leg, lower=n.lower * leg, upper=n.upper * leg) if n.name == "height" else n
        for n in NUMBERS
    )


def vector_of(body: BodyDescription) -> np.ndarray:
    """The numbers of the search, as the body has them."""
    stiff = next(joint for joint in body.joints if joint.channel in STIFF_CHANNELS)
    group = {"parameters": gait_of(body).parameters, "walk": gait_of(body).walk, "gains": stiff}
    return np.array([getattr(group[number.group], number.name) for number in NUMBERS])


def body_with(body: BodyDescription, vector: Sequence[float]) -> BodyDescription:
    """The body with other numbers, each cut to its range."""
    values: dict[str, dict[str, float]] = {"parameters": {}, "walk": {}, "gains": {}}
    for number, value in zip(numbers_of(body), vector, strict=True):
        values[number.group][number.name] = float(min(max(value, number.lower), number.upper))
    gait = replace(
        gait_of(body),
        parameters=replace(gait_of(body).parameters, **values["parameters"]),
        walk=replace(gait_of(body).walk, **values["walk"]),
    )
    joints = tuple(replace(j, **values["gains"]) if j.channel in STIFF_CHANNELS else j for j in body.joints)
    return replace(body, carrier=gait, joints=joints)


def lines_of(body: BodyDescription) -> str:
    """The numbers as lines for a body file."""
    lengths = ", ".join(f"{name}: {value:.6g}" for name, value in asdict(gait_of(body).lengths).items())
    lines, group = [f"  lengths: {{{lengths}}}"], ""
    for number, value in zip(NUMBERS, vector_of(body), strict=True):
        if number.group != group:
            group = number.group
            lines.append(f"  {group}:")
        lines.append(f"    {number.name}: {value:.4g}")
    return "\n".join(lines)


def at_the_edge(body: BodyDescription, vector: Sequence[float]) -> list[str]:
    """The numbers that the search would have made larger or smaller if their range had let it."""
    found = []
    for number, value in zip(numbers_of(body), vector, strict=True):
        margin = EDGE * (number.upper - number.lower)
        if number.lower != 0.0 and value < number.lower + margin:
            found.append(f"{number.name} {value:.4g} at its lower end {number.lower:g}")
        elif value > number.upper - margin:
            found.append(f"{number.name} {value:.4g} at its upper end {number.upper:g}")
    return found


_models: dict[int, RobotModel] = {}


def one(job: tuple[BodyDescription, Sequence[float], int, int]) -> float:
    """Points of a candidate with one delay and seed."""
    body, vector, delay, seed = job
    if delay not in _models:
        _models[delay] = RobotModel(body, delay)
    return points(_models[delay], body_with(body, vector), seed)


def cost(job: tuple[BodyDescription, Sequence[float], int]) -> float:
    """What CMA makes small: points, the mean and the worst of the delays, and how far numbers are out of range."""
    body, vector, generation = job
    got = [one((body, vector, USUAL_DELAY, generation))]
    if generation % 2 and got[0] > HOPELESS:
        other = OTHER_DELAYS[generation // 2 % len(OTHER_DELAYS)]
        got.append(one((body, vector, other, generation + other)))
    outside = np.abs(np.asarray(vector) - vector_of(body_with(body, vector)))
    outside /= [n.scale for n in numbers_of(body)]
    return -(np.mean(got) + 0.5 * min(got)) / 1.5 + 0.05 * float(outside.sum())


class Search:
    """A search that can be stopped and gone on with: the start, the state of CMA and the best so far."""

    def __init__(self, body: BodyDescription, seed: int) -> None:
        self.start = vector_of(body)
        self.seed = seed
        self.cma = cma.CMAEvolutionStrategy(
            np.zeros(len(self.start)), 0.3, {"popsize": 14, "seed": seed, "verbose": -9}
        )
        self.best = -np.inf
        self.seconds = 0.0


def confirmed(pool: Pool, body: BodyDescription, vector: np.ndarray, best: float) -> float:
    """The mean of the mean and the worst of the trials that judge; it stops when it cannot be the best."""
    got: list[float] = []
    for first in range(0, len(CONFIRM), TOGETHER):
        jobs = [(body, vector, delay, seed) for delay, seed in CONFIRM[first : first + TOGETHER]]
        got += pool.map(one, jobs, chunksize=1)
        if 0.5 * (np.mean(got) + min(got)) < best - 1.5:
            break
    return 0.5 * float(np.mean(got) + min(got))


def main(path: str, seconds: float, seed: int, state: str) -> None:
    """Search for so long."""
    body = read_body(Path(path))
    body = replace(body, carrier=replace(gait_of(body), lengths=RobotModel(body).leg_lengths(gait_of(body))))
    scale = np.array([number.scale for number in numbers_of(body)])
    search = pickle.loads(Path(state).read_bytes()) if state and Path(state).exists() else Search(body, seed)
    begun = time.monotonic() - search.seconds
    with Pool(int(os.environ.get("WORKERS", os.cpu_count() or 1))) as pool:
        if search.best == -np.inf:
            search.best = confirmed(pool, body, search.start, -np.inf)
            print(f"# the body file as it is: {search.best:.2f}", flush=True)
        while (gone := time.monotonic() - begun) < seconds:
            steps = search.cma.ask()
            vectors = [search.start + scale * step for step in steps]
            jobs = [(body, vector, search.cma.countiter) for vector in vectors]
            costs = pool.map(cost, jobs, chunksize=1)
            search.cma.tell(steps, costs)
            print(f"# {gone:.0f} s: best {-min(costs):.2f}, mean {-np.mean(costs):.2f}", flush=True)
            for vector in (vectors[int(np.argmin(costs))], search.start + scale * search.cma.mean):
                if (value := confirmed(pool, body, vector, search.best)) > search.best:
                    search.best = value
                    print(f"# seed {search.seed}, {gone:.0f} s: {value:.2f} points in {len(CONFIRM)} trials")
                    print(lines_of(body_with(body, vector)), flush=True)
                    for edge in at_the_edge(body, vector):
                        print(f"# {edge}", flush=True)
            search.seconds = time.monotonic() - begun
            if state:
                Path(state).write_bytes(pickle.dumps(search))


if __name__ == "__main__":
    parser = options(__doc__)
    add_search(parser, "only the points of the body file")
    parser.add_argument(
        "state",
        nargs="?",
        default="",
        metavar="STATE",
        help="file to go on from, if it is there, and to write to",
    )
    given = parser.parse_args()
    main(given.body_file, given.seconds, given.seed, given.state)
