# SPDX-License-Identifier: Apache-2.0
"""CMA-ES search for keyframes that bring a fallen robot up: python keyframe_search.py BODY.yaml SIDE SECONDS [SEED].

SIDE is front or back. The search starts with the keyframes of the skill ``get_up`` in the body file, which must be a
rough solution; both sides of the body move alike. Candidates run in the package's own motion code; improvements are
printed as lines for the body file. Needs rcsssmj, mujoco, numpy and cma from PyPI, and this repository on PYTHONPATH.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cma
import numpy as np
from command_line import add_search, options
from falls import SKILL, Fall, falls
from robot_model import RobotModel

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription, Keyframe, Skill
from embodiment_bridge.body.motion_section import shortest_move

ANGLE_STEP = 0.25  # rad that CMA starts with
TIME_STEP = 0.1  # s
SHORTEST = 0.05  # s between two keyframes
SPARE = 1.003  # multiple of the time that the joints need
HOPELESS = 6.0  # points after one fall below which the others are not tried


class Shape:
    """Converts keyframes of a skill to a vector and back: offsets of angles (rad / ANGLE_STEP), times (s / TIME_STEP).

    Only the joints of one half of the body are free, those of the other half mirror them.
    """

    def __init__(self, body: BodyDescription, skill: Skill, side: str) -> None:
        self._body, self._skill, self._side = body, skill, side
        self._frames = skill.lying[side]
        self._joints = {joint.name: joint for joint in body.joints}
        last = self._frames[-1]
        moved = [name for name in self._joints if any(name in frame.position for frame in self._frames)]
        self._free = [name for name in moved if self._leads(name)]
        self._poses = self._filled(last)
        self.size = (len(self._frames) - 1) * (len(self._free) + 1)

    def skill(self, vector: Sequence[float]) -> Skill:
        """The skill for a vector."""
        rows = np.reshape(np.asarray(vector, dtype=float), (len(self._frames) - 1, -1))
        times, poses, before = [], [], 0.0
        for frame, pose, row in zip(self._frames[:-1], self._poses, rows, strict=True):
            length = (frame.at - before) * self._skill.nominal_s + TIME_STEP * float(row[-1])
            before = frame.at
            times.append(max(length, SHORTEST))
            poses.append(self._moved(pose, row[:-1]))
        times.append((1.0 - before) * self._skill.nominal_s)
        return self._timed([*poses, dict(self._frames[-1].position)], times)

    def _leads(self, name: str) -> bool:
        """Whether a joint is one of two that mirror each other, and the first."""
        names = list(self._joints)
        return names.index(name) < names.index(self._joints[name].mirror)

    def _filled(self, last: Keyframe) -> list[dict[str, float]]:
        """Each keyframe but the last with every free joint in it; one that was not named stays where it was."""
        poses, now = [], {name: last.position.get(name, self._joints[name].rest) for name in self._free}
        for frame in self._frames[:-1]:
            now = {name: frame.position.get(name, angle) for name, angle in now.items()}
            poses.append({**frame.position, **now})
        return poses

    def _moved(self, pose: dict[str, float], offsets: Sequence[float]) -> dict[str, float]:
        moved = dict(pose)
        for name, offset in zip(self._free, offsets, strict=True):
            joint = self._joints[name]
            angle = min(max(pose[name] + ANGLE_STEP * float(offset), joint.lower), joint.upper)
            moved[name] = round(angle, 2)
            moved[joint.mirror] = joint.mirror_sign * moved[name]
        return moved

    def _timed(self, poses: list[dict[str, float]], times: list[float]) -> Skill:
        """Keyframes that the joints can follow: pieces that are too short are made long enough."""
        here = {name: joint.rest for name, joint in self._joints.items()}
        for i, pose in enumerate(poses):
            moved = [self._joints[name] for name in pose]
            times[i] = max(
                times[i], SPARE * shortest_move(moved, [here[name] for name in pose], pose.values())
            )
            here.update(pose)
        length = round(sum(times) + 0.005, 2)
        at = np.cumsum(times) / sum(times)
        frames = tuple(
            Keyframe(1.0 if i == len(poses) - 1 else float(a), pose)
            for i, (a, pose) in enumerate(zip(at, poses, strict=True))
        )
        changed = (
            {"lying": {**self._skill.lying, self._side: frames}} if self._side else {"keyframes": frames}
        )
        return replace(self._skill, nominal_s=length, min_s=length, **changed)


def points(
    body: BodyDescription, skill: Skill, tries: Sequence[Fall], models: dict[int, RobotModel]
) -> float:
    """The score of a skill over all falls; the worst one counts twice."""
    changed = replace(body, skills={**body.skills, skill.name: skill})
    found: list[float] = []
    for one in tries:
        found.append(one.points(models[one.delay], changed))
        if found[-1] < HOPELESS:
            return sum(found)
    return sum(found) + min(found)


def show(skill: Skill, side: str) -> None:
    """Print a skill as lines for a body file."""
    print(f"    nominal_s: {skill.nominal_s:.2f}")
    for frame in skill.lying[side]:
        angles = ", ".join(f"{name}: {angle:g}" for name, angle in frame.position.items())
        print(f"        - {{at: {frame.at:.5g}, {angles}}}", flush=True)


def main(path: str, side: str, seconds: float, seed: int) -> None:
    """Search, and print each improvement."""
    body = read_body(Path(path))
    tries = falls(body, side)
    models = {delay: RobotModel(body, delay) for delay in {one.delay for one in tries}}
    shape = Shape(body, body.skills[SKILL], side)
    begun, best = time.monotonic(), -np.inf
    search = cma.CMAEvolutionStrategy(np.zeros(shape.size), 0.6, {"seed": seed, "verbose": -9})
    while time.monotonic() - begun < seconds and not search.stop():
        asked = search.ask()
        values = [points(body, shape.skill(vector), tries, models) for vector in asked]
        search.tell(asked, [-value for value in values])
        if max(values) > best:
            best = max(values)
            print(f"# {time.monotonic() - begun:.0f} s: {best:.2f} points of {10 * (len(tries) + 1)}")
            show(shape.skill(asked[int(np.argmax(values))]), side)


if __name__ == "__main__":
    parser = options(__doc__)
    parser.add_argument("side", choices=("front", "back"), help="on which the robot lies")
    add_search(parser)
    given = parser.parse_args()
    main(given.body_file, given.side, given.seconds, given.seed)
