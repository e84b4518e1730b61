# SPDX-License-Identifier: Apache-2.0
"""CMA-ES search for the ``cycle`` of a robot without a roll of the legs: python cycle_search.py SECONDS [SEED].

With 0 seconds it searches for nothing, and says what the numbers that it begins with are worth, and their tables.

It drives the desk humanoid in the plain simulation: forward, a stop, backward, turns and curves, from starts with
random joint speeds that are others in each generation. The best candidate of each generation and its points are
printed, and at the end the tables for the body file. Needs mujoco and numpy from PyPI, cma for a search, and this
repository on PYTHONPATH.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from command_line import add_search, options

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.carriers.base import Cycle, SteppingBase
from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.physics.simulation import Simulation

ROOT = Path(__file__).parents[2]
COUNT = 16  # angles of a table
DT, TIMESTEP = 0.02, 0.002  # s
STAND_S = 0.8
FULL = 0.1  # m/s and 0.5 rad/s are full commands while searching
TRIALS = 8  # that tell what the first numbers are worth
START_SPEED = 0.3  # rad/s, spread of the joints at the start
TILT, LOW = 0.7, 0.14  # rad, m: fallen
PLAN = (  # share forward, share of a turn, s
    (1.0, 0.0, 8.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 4.0), (0.0, 1.0, 2.5), (1.0, -1.0, 2.5), (0.5, 0.5, 2.0),
)  # fmt: skip
RANGES = {  # lowest, highest, and where the search begins: the numbers of config/bodies/desk_humanoid_walking.yaml
    "step_s": (0.12, 0.7, 0.181), "crouch": (0.0, 0.5, 0.15299), "lift": (0.1, 0.9, 0.8622),
    "lift_phase": (-0.25, 0.25, 0.1344), "stride": (0.02, 0.45, 0.27409),
    "tip": (-0.15, 0.15, -0.11245), "tip_phase": (-0.5, 0.5, 0.14081), "lean": (-0.15, 0.15, 0.01523),
    "double": (0.0, 0.3, 0.0339), "push": (-0.2, 0.2, 0.01723), "yaw": (-0.3, 0.3, -0.25948),
    "yaw_phase": (-0.5, 0.5, 0.4625), "lean_v": (-0.12, 0.12, -0.02551),
    "backward_share": (0.1, 0.8, 0.1), "turn": (0.08, 0.35, 0.20101),
}  # fmt: skip
LOWEST, HIGHEST, FIRST = (np.array(column) for column in zip(*RANGES.values(), strict=True))


def cycle_of(numbers: np.ndarray) -> Cycle:
    """The tables of a candidate."""
    p = dict(zip(RANGES, numbers, strict=True))
    step: dict[str, tuple[float, ...]] = {}
    forward, turn = dict(step), dict(step)
    for side, late, sign in (("l", 0.0, 1.0), ("r", 0.5, -1.0)):
        phase = (np.arange(COUNT) / COUNT + late) % 1.0
        swing = 0.5 - 0.5 * p["double"]
        lifting = (phase - p["lift_phase"]) % 1.0
        bump = np.where(lifting < swing, np.sin(np.pi * lifting / swing) ** 2, 0.0)
        along = np.where(phase < 0.5, -np.cos(2 * np.pi * phase), 3 - 4 * phase)  # -1 behind, 1 ahead
        knee = 2 * p["crouch"] + p["lift"] * bump
        hip = -p["crouch"] - 0.5 * p["lift"] * bump
        tip = p["tip"] * np.sin(2 * np.pi * (phase + p["tip_phase"]))
        stride = -0.5 * p["stride"] * along
        push = p["push"] * np.where(phase >= 0.5, np.sin(2 * np.pi * (phase - 0.5)) ** 2, 0.0)
        step |= _table(side, hip_pitch=hip, knee_pitch=knee, foot_pitch=-(hip + knee) + tip + p["lean"])
        yaw = sign * p["yaw"] * np.sin(2 * np.pi * (phase + p["yaw_phase"]))
        forward |= _table(side, hip_pitch=stride, foot_pitch=-stride + push + p["lean_v"], foot_yaw=yaw)
        turn |= _table(side, foot_yaw=p["turn"] * along)
    return Cycle(step, forward, turn, float(p["backward_share"]))


def _table(side: str, **angles: np.ndarray) -> dict[str, tuple[float, ...]]:
    return {f"{side}_{name}": tuple(row.tolist()) for name, row in angles.items()}


def points(simulation: Simulation, numbers: np.ndarray, speeds: np.ndarray) -> float:
    """What a candidate is worth; about 12 is good."""
    walk = WalkLimits(FULL, FULL, 0.5, 2.0, 1.0, 2.0, 1e-6, 0.0, 0.01, 0.01, 0.05)
    body = replace(simulation.body, carrier=SteppingBase(walk, float(numbers[0]), cycle=cycle_of(numbers)))
    runner, state = MotionRunner(body), simulation.reset()
    simulation.data.qvel[-len(speeds) :] += speeds
    total = tilt = 0.0
    cycles = 0
    for number, (forward, turn, seconds) in enumerate(((0.0, 0.0, STAND_S), *PLAN)):
        x, y, _ = state.base_position
        heading, turned = state.yaw, 0.0
        for cycle in range(round(seconds / DT)):
            if number and cycle % 5 == 0:
                runner.set_velocity(FULL * forward, 0.5 * turn)
            before = state.yaw
            try:
                state = simulation.step(runner.step(replace(state, has_base=False), DT), DT)
            except LinkError:  # unstable
                return total - 2.0 * tilt / max(cycles, 1)
            turned += math.remainder(state.yaw - before, 2 * math.pi)
            tilt += abs(state.roll) + abs(state.pitch)
            cycles += 1
            if max(abs(state.roll), abs(state.pitch)) > TILT or state.base_position[2] < LOW:
                return total + cycle * DT / seconds - 2.0 * tilt / cycles
        dx, dy = state.base_position[0] - x, state.base_position[1] - y
        c, s = math.cos(heading), math.sin(heading)
        ahead, left = c * dx + s * dy, c * dy - s * dx
        total += 1.0 if number else 0.0
        if number == 1:
            total += 2.0 * min(ahead, 2.0) - 1.5 * (abs(left) + abs(turned))
        elif number == 3:
            total += 3.0 * min(-ahead, 0.4) - abs(left) - abs(turned)
        elif turn and abs(turn) == 1.0:
            total += min(math.copysign(turned, turn * turned) / seconds, 1.2) - (
                0.0 if forward else math.hypot(dx, dy)
            )
    return total - 2.0 * tilt / cycles


def main(seconds: float, seed: int) -> None:
    """Search for so long, and print the last mean as tables."""
    body = read_body(ROOT / "config/bodies/desk_humanoid.yaml")
    simulation = Simulation(
        ROOT / "urdf/desk_humanoid.urdf", body, world="soccer", timestep=TIMESTEP, start=(-3.0, 1.0, 0.0)
    )
    if seconds <= 0.0:
        worth = [points(simulation, FIRST, _speeds(seed, trial, len(body.joints))) for trial in range(TRIALS)]
        print(
            f"{np.mean(worth):.1f} points ({min(worth):.1f} to {max(worth):.1f}, n = {TRIALS}, seed {seed})"
        )
        print(f"    step_s: {FIRST[0]:.3f}")
        _print_tables(FIRST)
        return
    import cma  # not needed to look at what was found

    width = HIGHEST - LOWEST
    search = cma.CMAEvolutionStrategy(
        (FIRST - LOWEST) / width, 0.12, {"popsize": 16, "bounds": [0, 1], "seed": seed, "verbose": -9}
    )
    end, generation, best = time.monotonic() + seconds, 0, FIRST
    while time.monotonic() < end:
        speeds = _speeds(seed, generation, len(body.joints))
        candidates = search.ask()
        worth = [points(simulation, LOWEST + width * one, speeds) for one in candidates]
        search.tell(candidates, [-one for one in worth])
        best = LOWEST + width * candidates[int(np.argmax(worth))]
        told = " ".join(f"{name}={value:.4f}" for name, value in zip(RANGES, best, strict=True))
        print(f"{generation} {max(worth):.2f} {told}", flush=True)
        generation += 1
    _print_tables(best)


def _speeds(seed: int, trial: int, joints: int) -> np.ndarray:
    """Random joint speeds to begin with, rad/s."""
    return np.random.default_rng([seed, trial]).normal(0.0, START_SPEED, joints)


def _print_tables(numbers: np.ndarray) -> None:
    found = cycle_of(numbers)
    for name, table in (("step", found.step), ("forward", found.forward), ("turn", found.turn)):
        print(f"    {name}:\n{_lines(table)}")


def _lines(table: Mapping[str, tuple[float, ...]]) -> str:
    return "\n".join(
        f"      {name}: [{', '.join(f'{round(a, 3) + 0.0:.3f}' for a in row)}]" for name, row in table.items()
    )


if __name__ == "__main__":
    parser = options(__doc__, body=False)
    add_search(parser, "only the points of the body file")
    given = parser.parse_args()
    main(given.seconds, given.seed)
