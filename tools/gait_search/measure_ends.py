# SPDX-License-Identifier: Apache-2.0
"""How often a robot falls within 5 s after the end of a motion, by the truth: python measure_ends.py BODY.yaml.

In the model with commands 0, 1, 2 and 3 cycles late and some stalls; with --server on the real rcssservermj, which
waits for each answer. The first pose, and in the server the heading, differ each time.
"""

import math
import random
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from command_line import options
from robot_model import CYCLE, RobotModel
from server_model import ServerModel

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.runner import MotionRunner

Case = tuple[str, dict[str, float | str]]
WALKS: tuple[Case, ...] = (
    ("walk", {"distance": 2.0}),
    ("walk", {"distance": -1.0}),
    ("walk", {"distance": 1.0, "direction": 0.5 * math.pi}),
    ("walk", {"distance": 1.0, "direction": -0.5 * math.pi}),
    ("turn_left", {"angle": 1.5708}),
    ("turn_right", {"angle": 1.5708}),
    ("step_forward", {}),
    ("step_backward", {}),
    ("step_left", {}),
    ("step_right", {}),
)
LYING = {"front": (0.0, 0.5), "back": (0.0, -0.5), "left side": (-0.5, 0.0), "right side": (0.5, 0.0)}
LAID_M, TIP_RAD, LIE_S = 0.35, 0.15, 4.0
BALL_M = 1.0  # before the robot: it sees no ball nearer than 0.6 m ahead
KICKS_M = (1.0, 2.0, 3.5)
STRUCK = 0.1  # share of the way that was asked, from which on a ball counts as kicked
STAND_S = (1.2, 2.4)  # before the motion
PATIENCE_S = 60.0
AFTER_S = 5.0
LATE_SHARE, STALL_SHARE, STALL_CYCLES = 0.03, 0.003, 4  # as in drives.py
DOWN = 0.6  # cosine of the tilt of the torso, or share of its height in a stand, of a robot that fell


class Watched:
    """A robot that stands anew, and does one motion; ``fell``: whether it was down since it last was put."""

    def __init__(self, model: RobotModel | ServerModel, body: BodyDescription, seed: int) -> None:
        self._model, self.chance = model, random.Random(seed)
        self.runner = MotionRunner(body, things=model.things, idle=True)
        self._state = model.reset(seed)
        self._stalls = isinstance(model, RobotModel)
        self._height, self.fell = 0.0, False
        self.pass_by(self.chance.uniform(*STAND_S))
        self._height = self._state.base_position[2]
        self.fell = False

    def lay(self, roll: float, pitch: float) -> None:
        """Lay it on a side, shares of half a turn."""
        tip = self.chance.uniform(-TIP_RAD, TIP_RAD)
        self._model.lay(LAID_M, math.pi * roll, math.pi * pitch + tip)
        self._state = self._model.sense()
        self.pass_by(LIE_S)

    def place_ball(self) -> None:
        """Put a ball before it."""
        bearing = self._state.yaw + self.chance.uniform(-0.5, 0.5)
        x, y, _ = self._state.base_position
        self._model.place_ball(x + BALL_M * math.cos(bearing), y + BALL_M * math.sin(bearing))
        self._state = self._model.sense()
        self.pass_by(1.0)
        self.do("find", {"thing": "ball"})

    def do(self, name: str, parameters: dict[str, float | str]) -> str:
        """Do a motion to its end; how it ended, and why."""
        self.runner.take_reports()
        self.runner.start(SkillRequest("motion", name, parameters))
        for _ in range(round(PATIENCE_S / CYCLE)):
            self._cycle()
            for report in self.runner.take_reports():
                if report.status.ended and report.id == "motion":
                    return f"{report.status.value} {report.reason}".strip()
        return "never ended"

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / CYCLE)):
            self._cycle()

    @property
    def ball(self) -> tuple[float, float]:
        """Where the ball is, m in ``map``, by the truth."""
        return self._model.ball_place

    @property
    def yaw(self) -> float:
        """Heading of the torso, rad."""
        return self._state.yaw

    def is_down(self) -> bool:
        """Whether it is down, by the truth."""
        return self._model.upright < DOWN or self._state.base_position[2] < DOWN * self._height

    def _cycle(self) -> None:
        targets = self.runner.step(self._state, CYCLE)
        late = self.chance.random() if self._stalls else 1.0
        for _ in range(STALL_CYCLES if late < STALL_SHARE else 1 if late < LATE_SHARE else 0):
            self._model.step(targets)
        self._state = self._model.step(targets)
        self.fell = self.fell or self.is_down()


def cases(body: BodyDescription) -> Iterator[tuple[str, Case, str]]:
    """The name of each row, its motion, and how the robot lies before it."""
    for name, parameters in WALKS:
        given = " ".join(f"`{key}` {value:.2g}" for key, value in parameters.items())
        yield f"`{name}`{', ' * bool(given)}{given}", (name, parameters), ""
    yield "`kick`", ("kick", {}), ""
    for emotion in EMOTIONS:
        yield f"`{emotion}`", (emotion, {}), ""
    for side in LYING:
        yield f"`get_up` from its {side}", ("get_up", {}), side


class Try(NamedTuple):
    """Whether a motion succeeded, the robot fell up to its end, and after it; what to know of it else.

    roll, off: of a kick, how far the ball went by the way that was asked, and rad beside the asked direction.
    """

    done: bool
    during: bool
    after: bool
    note: str = ""
    roll: float = math.nan
    off: float = math.nan


def attempt(robot: Watched, name: str, parameters: dict[str, float | str], side: str) -> Try:
    """Do one motion, of a robot that lies on ``side``, and watch what follows."""
    if side:
        robot.lay(*LYING[side])
    if name == "kick":
        robot.place_ball()
        way = robot.chance.uniform(-math.pi / 3, math.pi / 3)
        parameters = {"distance": robot.chance.choice(KICKS_M), "direction": way}
    (x, y), yaw, robot.fell = robot.ball, robot.yaw, False
    ended = robot.do(name, parameters)
    done = ended.startswith("succeeded")
    during = robot.is_down() if side else robot.fell
    robot.fell = False
    robot.pass_by(AFTER_S)
    after = robot.fell and not during
    note = "" if done and not during and not after else f"{ended}{', fell' * robot.fell}"
    if name != "kick":
        return Try(done, during, after, note)
    dx, dy = robot.ball[0] - x, robot.ball[1] - y
    off = math.remainder(math.atan2(dy, dx) - yaw - way, 2 * math.pi)
    return Try(done, during, after, note, math.hypot(dx, dy) / parameters["distance"], off)


def measure(
    models: Sequence[RobotModel | ServerModel], body: BodyDescription, number: int, only: list[str]
) -> None:
    """Print a row per motion as it is measured."""
    print(
        "| motion | n | done | fell before its end | fell within 5 s after |\n|---|---|---|---|---|",
        flush=True,
    )
    for row, (name, parameters), side in cases(body):
        if only and not any(word in row for word in only):
            continue
        robots = (Watched(models[seed % len(models)], body, seed) for seed in range(number))
        tries = [attempt(robot, name, parameters, side) for robot in robots]
        done, during, after = (sum(values) for values in list(zip(*tries, strict=True))[:3])
        print(f"| {row} | {number} | {done} | {during} | {after} |")
        for seed, one in enumerate(tries):
            if one.note:
                print(f"    {seed}: {one.note}")
        kicked = [one for one in tries if one.roll > STRUCK]
        if kicked:
            off = [abs(math.degrees(one.off)) for one in kicked]
            far = statistics.mean(abs(one.roll - 1.0) for one in kicked)
            print(
                f"    of {len(kicked)}: {100 * far:.0f} % of the way and {statistics.mean(off):.1f} degrees off,"
            )
            print(f"    within 10 degrees {sum(one < 10.0 for one in off)}, worst {max(off):.0f}")
        sys.stdout.flush()


def main(path: str, number: int, only: list[str], *, server: bool) -> None:
    """Measure in the model, or on a server."""
    body = read_body(Path(path))
    if not server:
        measure([RobotModel(body, delay) for delay in range(4)], body, number, only)
        return
    with closing(ServerModel(body)) as model:
        measure([model], body, number, only)


if __name__ == "__main__":
    parser = options(__doc__)
    parser.add_argument("only", nargs="*", metavar="WORD", help="rows with one of these words only")
    parser.add_argument("-n", type=int, default=30, help="times of each motion (default: 30)")
    parser.add_argument("--server", action="store_true", help="on the real server")
    given = parser.parse_args()
    main(given.body_file, given.n, given.only, server=given.server)
