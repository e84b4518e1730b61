# SPDX-License-Identifier: Apache-2.0
"""How the T1 and the K1 walk in the simulator's own MuJoCo model, commands one cycle late; run by its name only.

The motion code of this package and the model of rcssservermj run in this process, truth is the simulation's. Seeds are
fixed. MOTION_BODIES=t1 takes one robot only, or the path of a body file; MOTION_POLICY=walk.npz a learned policy
(docs/policies.md) instead of its gait; MOTION_PARTS=goals,pushes some parts only.
"""

import math
import os
import random
import statistics
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rows import row

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.carriers.gait import PolicyGait, gait_of
from embodiment_bridge.body.policy_file import read_policy
from embodiment_bridge.body.state import SkillRequest

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tools/gait_search"))

AIMS = {"forward": 0.6, "left": 0.25, "turn": 1.2}
GOALS = 40
KICKS, WAYS = 60, (1.0, 2.0, 3.5)  # m
APPROACHES = 20
GOAL_HALF_M = 1.83  # half the mouth of the goal of the server's 7 against 7 field
SCORE_SKILLS: tuple[tuple[str, dict[str, float | str]], ...] = (
    ("go_to", {"thing": "ball", "towards": "goal", "distance": 0.35}),
    ("kick", {"towards": "goal"}),
)
RANDOM_S = 1800.0


def run() -> list[dict[str, Any]]:
    """The rows of each robot."""
    bodies = os.environ.get("MOTION_BODIES", "t1,k1").split(",")
    parts = os.environ.get("MOTION_PARTS", ",".join(PARTS)).split(",")
    return [one for body in bodies for part in parts for one in PARTS[part](Robot(body))]


class Robot:
    """A robot that can be put into the model again and again. ``n``: of its trials, which are their seeds."""

    def __init__(self, name: str) -> None:
        from robot_model import RobotModel

        path = Path(name) if name.endswith(".yaml") else HERE / f"config/bodies/{name}.yaml"
        self.name = path.stem.upper()
        self.body = read_body(path)
        if policy := os.environ.get("MOTION_POLICY"):
            joints = {joint.name: joint for joint in self.body.joints}
            learned = PolicyGait(gait_of(self.body), read_policy(Path(policy), joints))
            self.body = replace(self.body, carrier=learned)
            self.name += f" with {Path(policy).stem}"
        self.walk = self.body.carrier.walk  # type: ignore[union-attr]
        self._models = [RobotModel(self.body, delay) for delay in range(4)]

    def driven(self, seed: int, delay: int = 1) -> Any:
        from drives import Driven

        return Driven(self._models[delay], self.body, seed, stalls=False)

    def row(self, what: str, value: float, unit: str, **aim: float) -> dict[str, Any]:
        return row(f"{self.name}: {what}", value, unit, **aim)  # type: ignore[arg-type]


def speeds(robot: Robot) -> Iterator[dict[str, Any]]:
    """Full speed along each axis: forward and sideways for 60 s each, backward and turning for 20 s."""
    walk, falls = robot.walk, 0
    for what, velocity, seconds, aim in (
        ("forward, 60 s", (walk.forward, 0.0, 0.0), 60.0, AIMS["forward"]),
        ("backward, 20 s", (-walk.backward, 0.0, 0.0), 20.0, None),
        ("sideways, 60 s", (0.0, walk.left, 0.0), 60.0, AIMS["left"]),
    ):
        did = [robot.driven(seed).drive(seconds, velocity) for seed in range(2)]
        falls += sum(one.seconds < seconds - 0.1 for one in did)
        speed = statistics.mean(math.hypot(one.forward, one.left) / one.seconds for one in did)
        yield robot.row(f"{what}, n 2", speed, "m/s", **({"at_least": aim} if aim else {}))
        if what.startswith("forward"):
            yield robot.row("lean of the torso (+ forward)", did[0].pitch, "rad")
            yield robot.row("height of the lifted foot", 100 * did[0].clearance, "cm")
    turns = [robot.driven(seed).drive(20.0, (0.0, 0.0, walk.turn)) for seed in range(2)]
    yield robot.row(
        "turn in place, 20 s, n 2",
        statistics.mean(t.turned / t.seconds for t in turns),
        "rad/s",
        at_least=AIMS["turn"],
    )
    wander = max(math.hypot(t.forward, t.left) for t in turns)
    yield robot.row("wandering of it, worst", wander, "m", at_most=0.15)
    yield robot.row("falls in all of these", falls, "", at_most=0)


def straight(robot: Robot) -> Iterator[dict[str, Any]]:
    """Forward for 180 s, and where it is after 10 m.

    The torso turns to and fro with each step: beside the heading at that instant, its mean over the last stride tells
    where the walk goes, and half of its range in that stride how far it turns to and fro.
    """
    from drives import CYCLE

    stride = round(1.0 / gait_of(robot.body).parameters.frequency_at(1.0) / CYCLE)  # cycles
    off, turned, mean, sway, fell, speed = [], [], [], [], 0, []
    for seed in range(3):
        driven, gone, there = robot.driven(seed), 0.0, None
        seconds = 0.0
        while seconds < 180.0 and not driven.fallen:
            part = driven.drive(10.0 / robot.walk.forward, (robot.walk.forward, 0.0, 0.0))
            there = there or part
            gone, seconds = gone + part.forward, seconds + part.seconds
        if there is not None:
            off.append(abs(there.left))
            turned.append(abs(there.turned))
            last = there.headings[-stride:]
            mean.append(abs(statistics.mean(last)))
            sway.append(0.5 * (max(last) - min(last)))
        fell += driven.fallen
        speed.append(gone / seconds)
    yield robot.row("forward, 180 s, n 3", statistics.mean(speed), "m/s", at_least=AIMS["forward"])
    yield robot.row("falls in it", fell, "", at_most=0)
    yield robot.row("drift in 10 m, worst", max(off), "m", at_most=0.2)
    yield robot.row("turned in 10 m, worst", max(turned), "rad", at_most=0.05)
    yield robot.row("turned in 10 m, mean over the last stride, worst", max(mean), "rad", at_most=0.05)
    yield robot.row("turns to and fro in that stride by, worst", max(sway), "rad")


def follows(robot: Robot) -> Iterator[dict[str, Any]]:
    """Commanded to true speed on each axis, after 2 s, over 10 s."""
    walk = robot.walk
    for axis, (name, full) in enumerate(
        (("forward", walk.forward), ("left", walk.left), ("turn", walk.turn))
    ):
        worst = 0.0
        for share in (0.05 / full if axis < 2 else 0.1 / full, 0.25, 0.5, 0.75, 1.0):
            velocity = tuple(share * full if i == axis else 0.0 for i in range(3))
            driven = robot.driven(1)
            driven.drive(2.0, velocity)
            did = driven.drive(10.0, velocity)
            true = (did.forward, did.left, did.turned)[axis] / did.seconds
            worst = max(worst, abs(true / (share * full) - 1.0))
        yield robot.row(f"commanded to true, {name}, worst of 5", 100 * worst, "%", at_most=10)


def random_commands(robot: Robot) -> Iterator[dict[str, Any]]:
    """Random velocities of all three axes that change every 0.5 to 2.5 s."""
    walk = robot.walk
    for delay in range(4):
        falls, done, seed = 0, 0.0, 0
        while done < RANDOM_S:
            driven, chance = robot.driven(seed, delay), random.Random(seed)
            seed += 1
            begun = done
            while done - begun < 60.0 and not driven.fallen:
                shares = [max(-1.0, min(1.0, chance.uniform(-1.3, 1.3))) for _ in range(3)]
                full = walk.forward if shares[0] > 0.0 else walk.backward
                velocity = (shares[0] * full, shares[1] * walk.left, shares[2] * walk.turn)
                done += driven.drive(chance.uniform(0.5, 2.5), velocity).seconds
            falls += driven.fallen
        limit = 0 if delay < 3 else 1
        yield robot.row(
            f"random cmd_vel, {done / 60:.0f} min, delay {delay}: falls", falls, "", at_most=limit
        )


def pushes(robot: Robot) -> Iterator[dict[str, Any]]:
    """The least push (0.1 s on the torso) that fells 4 of 4, standing and walking at full speed."""
    for how, speed in (("standing", 0.0), ("walking", robot.walk.forward)):
        for where, angle in (("front", math.pi), ("back", 0.0), ("side", 0.5 * math.pi)):
            strength = 0.0
            fell = 0
            while fell < 4 and strength < 60.0:
                strength += 5.0
                push = strength * math.cos(angle), strength * math.sin(angle)
                fell = sum(_felled(robot, seed, speed, push) for seed in range(4))
            aim = {"at_least": 20} if speed else {}
            yield robot.row(f"push from the {where} that fells 4 of 4, {how}", strength, "N s", **aim)


def _felled(robot: Robot, seed: int, speed: float, push: tuple[float, float]) -> bool:
    driven = robot.driven(seed)
    driven.drive(2.0 + 0.05 * seed, (speed, 0.0, 0.0))
    driven.drive(3.0, (speed, 0.0, 0.0), push)
    return bool(driven.fallen)


def goals(robot: Robot) -> Iterator[dict[str, Any]]:
    """goal_pose, 0.15 to 6 m away, any direction and heading."""
    off, turned, times, failed = [], [], [], 0
    for seed in range(GOALS):
        chance, driven = random.Random(seed), robot.driven(seed)
        distance, bearing = 0.15 * 40.0 ** chance.random(), chance.uniform(-math.pi, math.pi)
        yaw = chance.uniform(-math.pi, math.pi)
        x0, y0, _ = driven.state.base_position
        x, y = x0 + distance * math.cos(bearing), y0 + distance * math.sin(bearing)
        driven.runner.walk_to(x, y, yaw)
        seconds, ended = driven.until_report(90.0)
        failed += ended != "succeeded"
        px, py, _ = driven.state.base_position
        off.append(math.hypot(px - x, py - y))
        turned.append(abs(math.degrees(math.remainder(driven.state.yaw - yaw, 2 * math.pi))))
        times.append(seconds / (distance / robot.walk.forward + abs(yaw) / robot.walk.turn))
    yield robot.row(f"goal_pose, n {GOALS}: distance", statistics.mean(off), "m", at_most=0.05)
    yield robot.row("worst distance", max(off), "m")
    yield robot.row("heading", statistics.mean(turned), "deg", at_most=3)
    what = "time, by that of the way and the turn at full speed, median"
    yield robot.row(what, statistics.median(times), "", at_most=1.3)
    yield robot.row("failed", failed, "", at_most=0)


def get_up(robot: Robot) -> Iterator[dict[str, Any]]:
    """First try after a push over, ten pushes from the front and ten from behind."""
    from falls import Attempt, fallen
    from robot_model import RobotModel

    model = RobotModel(robot.body, 1)
    for side, sign in (("front", 1.0), ("back", -1.0)):
        up = 0
        for seed in range(20):
            attempt = Attempt(model, robot.body, fallen(model, robot.body, seed, sign * (130.0 + 6.0 * seed)))
            attempt.play()
            up += attempt.upright > 5.0
        yield robot.row(f"get_up from the {side}, of 20", up, "", at_least=20)


def kicks(robot: Robot) -> Iterator[dict[str, Any]]:
    """The skill ``kick``: 1, 2 and 3.5 m asked, directions within 60 degrees, a ball half a metre ahead."""
    off, turned, fell = [], [], 0
    for seed in range(KICKS):
        chance, driven = random.Random(seed), robot.driven(seed)
        bearing, direction = chance.uniform(-0.5, 0.5), chance.uniform(-math.pi / 3, math.pi / 3)
        driven.place_ball(0.5 * math.cos(bearing), 0.5 * math.sin(bearing))
        yaw, wanted = driven.yaw, WAYS[seed % len(WAYS)]
        driven.runner.start(SkillRequest("kick", "kick", {"distance": wanted, "direction": direction}))
        driven.until_report(40.0)
        driven.cycles(4.0)
        x, y = driven.ball_moved()
        off.append(abs(math.hypot(x, y) / wanted - 1.0))
        turned.append(abs(math.degrees(math.remainder(math.atan2(y, x) - yaw - direction, 2 * math.pi))))
        fell += driven.fallen
    yield robot.row(f"kick, n {KICKS}: distance off, mean", 100 * statistics.mean(off), "%", at_most=20)
    yield robot.row("kick: direction off, mean", statistics.mean(turned), "deg", at_most=8)
    yield robot.row("kick: falls", fell, "", at_most=0)


def approach(robot: Robot) -> Iterator[dict[str, Any]]:
    """A ball 2 m away in any direction, kicked 2 m on: counts if it rolls at least 1 m within 30 degrees."""
    meant, fell, times = 0, 0, []
    for seed in range(APPROACHES):
        chance, driven = random.Random(seed), robot.driven(seed)
        bearing, direction = chance.uniform(-math.pi, math.pi), chance.uniform(-1.0, 1.0)
        driven.place_ball(2.0 * math.cos(bearing), 2.0 * math.sin(bearing))
        yaw = driven.yaw
        driven.runner.start(SkillRequest("kick", "kick", {"distance": 2.0, "direction": direction}))
        times.append(driven.until_report(60.0)[0])
        driven.cycles(4.0)
        x, y = driven.ball_moved()
        aim = abs(math.remainder(math.atan2(y, x) - yaw - direction, 2 * math.pi))
        meant += math.hypot(x, y) > 1.0 and aim < math.radians(30.0)
        fell += driven.fallen
    yield robot.row(f"ball 2 m away kicked as meant, of {APPROACHES}", meant, "", at_least=APPROACHES)
    yield robot.row("approach and kick: time, median", statistics.median(times), "s")
    yield robot.row("approach and kick: falls", fell, "", at_most=0)


def scores(robot: Robot) -> Iterator[dict[str, Any]]:
    """The skills of config/bml/score.json, again and again: from a ball 3 m before the goal, and from kick-off."""
    for what, far, limit, tries in (
        ("ball 3 m before the goal", 3.0, 60.0, 10),
        ("from kick-off alone", 27.5, 120.0, 5),
    ):
        times = [_seconds_to_goal(robot, seed, far, limit) for seed in range(tries)]
        scored = [seconds for seconds in times if seconds is not None]
        yield robot.row(
            f"{what}: goals of {tries} in {limit:.0f} s", len(scored), "", at_least=int(0.9 * tries + 0.5)
        )
        if scored:
            yield robot.row(f"{what}: time to the goal, median", statistics.median(scored), "s")


def _seconds_to_goal(robot: Robot, seed: int, far: float, limit: float) -> float | None:
    """From a metre beside or behind the ball, facing anywhere, until the ball is in the goal ``far`` m ahead of it."""
    chance, driven = random.Random(seed), robot.driven(seed)
    bearing, heading = chance.uniform(-math.pi / 2, math.pi / 2), chance.uniform(-math.pi, math.pi)
    x, y, _ = driven.state.base_position
    # The robot stays as the model puts it: ball and goal are laid out around it.
    driven.place_ball(math.cos(bearing + heading), math.sin(bearing + heading))
    line = driven.yaw + heading
    ball = x + math.cos(line + bearing), y + math.sin(line + bearing)
    goal = ball[0] + far * math.cos(line), ball[1] + far * math.sin(line)
    driven.things["goal"] = driven.placed("goal", *goal)
    seconds, number = 0.0, 0
    while seconds < limit and not driven.fallen:
        number += 1
        for name, parameters in SCORE_SKILLS:
            driven.runner.start(SkillRequest(f"{name} {number}", name, parameters))
            seconds += driven.until_report(limit - seconds)[0] if seconds < limit else 0.0
        for _ in range(8):
            driven.cycles(0.25)
            seconds += 0.25
            dx, dy = driven.ball_moved()
            ahead = dx * math.cos(line) + dy * math.sin(line)
            aside = dy * math.cos(line) - dx * math.sin(line)
            if ahead >= far and abs(aside) < GOAL_HALF_M and seconds <= limit:
                return seconds
    return None


PARTS = {
    "speeds": speeds,
    "straight": straight,
    "follows": follows,
    "random": random_commands,
    "pushes": pushes,
    "goals": goals,
    "get_up": get_up,
    "kicks": kicks,
    "approach": approach,
    "scores": scores,
}
