# SPDX-License-Identifier: Apache-2.0
"""Searches the step that kicks: the section ``kick`` of a gait, with CMA-ES in the simulator's own model.

    PYTHONPATH=. python tools/gait_search/kick_search.py config/bodies/t1.yaml SECONDS [SEED]

The robot steps on the spot, a ball lies where the kick wants it, give or take a little, and the next step kicks. What
counts is that the ball has the wanted speed and direction soon after, for soft and hard kicks, and that nobody falls.
Each better one is printed as lines for the body file, the last one with the ways that the ball then rolls, measured
with the skill. With 0 seconds the kick of the body file is measured anew.
"""

import math
import time
from dataclasses import replace
from pathlib import Path

import cma
import numpy as np
from command_line import add_search, options
from drives import Driven
from robot_model import RobotModel

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.carriers.gait import gait_of
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.kick_section import KickParameters
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import Pace, WalkCommand
from embodiment_bridge.motion.walking.walk_program import Pose

STRENGTHS = (0.0, 0.5, 1.0)
SPEEDS = (0.95, 2.3)  # m/s that the ball should have after the softest and the hardest kick
NOISE = (0.02, 0.015)  # m ahead and aside: what an approach leaves
STEP_S = 1.2  # s of stepping on the spot before a kick
WATCH_S = 1.6  # s after it in which the robot may fall
SPEED_AT_S = 0.45  # s after the kick when the speed of the ball counts
LEVELS = 6  # strengths whose way is measured for the body file
LENGTHS = ("back", "reach", "back_soft", "reach_soft", "lift", "ahead", "aside")
LEGS_M = 0.5025  # gait.parameters.height of the robot whose lengths these are; others are scaled
# begin, and the length of a step of the search
BEGIN = {
    "rate": (0.6, 0.1),
    "back": (0.1, 0.03),
    "reach": (0.25, 0.03),
    "back_soft": (0.03, 0.02),
    "reach_soft": (0.18, 0.03),
    "back_at": (0.3, 0.06),
    "reach_at": (0.7, 0.06),
    "lift": (0.01, 0.01),
    "sway": (0.03, 0.02),
    "lean": (0.0, 0.02),
    "toe": (0.0, 0.05),
    "ahead": (0.34, 0.02),
    "aside": (0.11, 0.01),
}


class StepAndKick:
    """Steps on the spot, kicks once, and steps on."""

    def __init__(self) -> None:
        self.done, self.progress, self.patience, self.failure = False, 0.0, math.inf, ""
        self.kick: Kick | None = None
        self.kicked = self._begun = False

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        if walker.kicking:
            self.kick, self._begun = None, True
        self.kicked = self._begun and not walker.kicking
        return WalkCommand(True, kick=self.kick)


def kicked(
    model: RobotModel, body: BodyDescription, kick: Kick, seed: int, watch: float = WATCH_S
) -> tuple[float, float, float, bool]:
    """One kick: speed (m/s) and direction (rad) of the ball soon after, its way (m) at the end, and a fall."""
    chance = np.random.default_rng(seed)
    driven = Driven(model, body, seed, stalls=False)
    program = StepAndKick()
    driven.runner._table.walk_to(program)
    driven.cycles(STEP_S + 0.4 * float(chance.random()))
    p = gait_of(body).kick
    ahead, aside = chance.uniform(-1.0, 1.0, 2) * NOISE
    driven.place_ball(p.ahead + ahead, (p.aside + aside) * (1.0 if kick.left else -1.0))
    yaw = driven.yaw
    program.kick = kick
    driven.cycles(1.0, lambda: program.kicked or driven.fallen)
    driven.cycles(SPEED_AT_S)
    vx, vy = driven.ball_velocity
    speed, direction = math.hypot(vx, vy), math.remainder(math.atan2(vy, vx) - yaw, 2 * math.pi)
    driven.cycles(watch)
    return speed, direction if speed > 0.05 else math.pi, math.hypot(*driven.ball_moved()), driven.fallen


def points(model: RobotModel, body: BodyDescription, speeds: tuple[float, float], tries: int) -> float:
    """Points of a kick: 10 is perfect."""
    total, worst = 0.0, 10.0
    for number in range(tries):
        for strength in STRENGTHS:
            wanted = speeds[0] + strength * (speeds[1] - speeds[0])
            left = (number + int(2 * strength)) % 2 == 0
            speed, direction, _, fell = kicked(model, body, Kick(left, strength), number)
            got = (
                10.0
                - 10.0 * min(abs(speed / wanted - 1.0), 1.0)
                - min(abs(math.degrees(direction)) / 4.0, 6.0)
            )
            got -= 6.0 if fell else 0.0
            total, worst = total + got, min(worst, got)
    return total / (tries * len(STRENGTHS)) + 0.2 * worst - 2.0


def with_kick(body: BodyDescription, kick: KickParameters) -> BodyDescription:
    """The body with another kick."""
    return replace(body, carrier=replace(gait_of(body), kick=kick))


def kick_of(vector: np.ndarray, legs: float = LEGS_M) -> KickParameters:
    """The kick for a vector of the search, of a robot with such ``legs`` (m)."""
    numbers = {
        name: at + step * float(v) for (name, (at, step)), v in zip(BEGIN.items(), vector, strict=True)
    }
    for name in LENGTHS:
        numbers[name] *= legs / LEGS_M
    numbers["rate"] = min(max(numbers["rate"], 0.2), 1.2)
    numbers["back_at"] = min(max(numbers["back_at"], 0.05), 0.6)
    numbers["reach_at"] = min(max(numbers["reach_at"], numbers["back_at"] + 0.08), 0.95)
    return KickParameters(
        **{name: round(value, 4) for name, value in numbers.items()},
        ways=(0.0, 1.0),
        outward=(0.0, 0.0),
        further=(0.0, 0.0),
    )


def measured(model: RobotModel, body: BodyDescription, tries: int = 16) -> tuple[list[float], list[float]]:
    """How far the ball rolls (m), and how far outward (rad), at evenly spaced strengths: medians; the ways grow.

    Measured with the skill ``kick`` itself, which goes up to a ball half a metre away.
    """
    kick = replace(gait_of(body).kick, ways=(1.0, 2.0), outward=(0.0, 0.0), further=(0.0, 0.0))
    body = with_kick(body, kick)
    ways: list[float] = []
    outward: list[float] = []
    for level in range(LEVELS):
        rolled, aside = [], []
        for seed in range(tries):
            driven, side = Driven(model, body, 100 + seed, stalls=False), 1.0 if seed % 2 else -1.0
            driven.place_ball(0.5, side * float(np.random.default_rng(seed).uniform(0.03, 0.2)))
            yaw = driven.yaw
            driven.runner.start(SkillRequest("kick", "kick", {"distance": 1.0 + level / (LEVELS - 1)}))
            driven.until_report(30.0)
            driven.cycles(5.0)
            x, y = driven.ball_moved()
            rolled.append(math.hypot(x, y))
            aside.append(side * math.remainder(math.atan2(y, x) - yaw, 2 * math.pi))
        ways.append(max(round(float(np.median(rolled)), 2), ways[-1] + 0.01 if ways else 0.0))
        outward.append(round(float(np.median(aside)), 3))
    return ways, outward


def show(kick: KickParameters, tables: tuple[list[float], list[float]] | None = None) -> None:
    """Print a kick as lines for a body file; ``tables``: ways and outward, once they are measured."""
    print("  kick:")
    for name in BEGIN:
        print(f"    {name}: {getattr(kick, name):g}", flush=True)
    if tables is not None:
        print(f"    ways: {tables[0]}\n    outward: {tables[1]}")
        print("    # further: has to be measured anew for this kick", flush=True)


def main(path: str, seconds: float, seed: int, tries: int = 3) -> None:
    """Search, and print each improvement."""
    body = read_body(Path(path))
    model, legs = RobotModel(body, 1), gait_of(body).parameters.height
    begun, best, chosen = time.monotonic(), -math.inf, None
    search = cma.CMAEvolutionStrategy(np.zeros(len(BEGIN)), 1.0, {"seed": seed, "verbose": -9})
    while time.monotonic() - begun < seconds and not search.stop():
        asked = search.ask()
        values = [points(model, with_kick(body, kick_of(one, legs)), SPEEDS, tries) for one in asked]
        search.tell(asked, [-value for value in values])
        if max(values) > best:
            best, chosen = max(values), kick_of(asked[int(np.argmax(values))], legs)
            print(
                f"# {time.monotonic() - begun:.0f} s, {search.countevals} tries: {best:.2f} points of 10",
                flush=True,
            )
            show(chosen)
    chosen = chosen or gait_of(body).kick
    if chosen is not None:
        tables = measured(model, with_kick(body, chosen))
        print(f"# seed {seed}, {best:.2f} points of 10 after {time.monotonic() - begun:.0f} s")
        show(chosen, tables)


if __name__ == "__main__":
    parser = options(__doc__)
    add_search(parser, "the kick of the body file is measured anew")
    given = parser.parse_args()
    main(given.body_file, given.seconds, given.seed)
