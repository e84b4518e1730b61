# SPDX-License-Identifier: Apache-2.0
"""Draws what a robot does in the physics: a contact sheet of its emotions, or a strip of one skill.

    motion_pictures.py ROBOT emotions OUT.png [--unnamed SEED]
    motion_pictures.py ROBOT SKILL OUT.png [--seconds S] [--parameters NAME=VALUE ...]

    .venv/bin/python tools/motion_pictures.py T1 emotions docs/pictures/emotions_t1.png

ROBOT is T1, K1 or desk_humanoid. ``--unnamed`` shuffles the emotions and leaves out their names, for somebody who is to
guess them; the order is written to OUT.order.txt. A robot that is to get up is pushed over first. Rendering needs EGL
or OSMesa.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.mujoco.robots import robot_files
from embodiment_bridge.physics.camera import Painter
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.simulation import Simulation

ROOT = Path(__file__).parents[1]
CYCLE = 0.02  # s
STAND_S = 2.0  # s to get from the first pose to a stand
SHOWN_S = 1.5  # s after which the picture of an emotion is taken
SIZE = (300, 380)  # pixels of a picture
ASIDE_M = -50.0  # where the things of the room are, out of the picture
FALL_S = 2.5  # s until a robot that is pushed over lies
PUSH_N_PER_KG = 6.0
FRAMES = 7  # of a strip
COLORS = 128  # of the file
VIEW = np.array([1.75, 0.8, 0.3])  # where the camera is beside the robot, in heights of its head


class Studio:
    """A robot in the physics, with a camera that follows it."""

    def __init__(self, robot: str) -> None:
        files = robot_files(robot, "", "", "auto", lambda: ROOT)
        body = read_body(files.body)
        self.simulation = Simulation(Path(files.model), body, world="room", timestep=0.002)
        model = self.simulation.model
        model.body("table").pos[0] = ASIDE_M
        model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = 0.45, 0.6
        self._painter = Painter(model, "view", *SIZE)
        self.again()

    def again(self) -> None:
        """From the start: it stands."""
        self.runner = MotionRunner(self.simulation.body)
        self.state = self.simulation.reset()
        self.simulation.place("ball", (ASIDE_M, 2.0, 0.04), None, (0.0, 0.0, 0.0))
        self.run(STAND_S)
        own = self.simulation.model.body_rootid[self.simulation.model.geom_bodyid] == self.simulation.root
        self._height = float(self.simulation.data.geom_xpos[own, 2].max())

    def run(self, seconds: float) -> None:
        """Let so many seconds pass."""
        for _ in range(round(seconds / CYCLE)):
            self.state = self.simulation.step(self.runner.step(self.state, CYCLE), CYCLE)

    def push_over(self) -> None:
        """Push the robot until it lies on its front."""
        self.simulation.pushes.add(
            "", (PUSH_N_PER_KG * float(sum(self.simulation.model.body_mass)), 0.0, 0.0), (0.0, 0.0, 0.0), 0.3
        )
        self.run(FALL_S)

    def start(self, skill: str, parameters: dict[str, float | str]) -> None:
        """Start a skill."""
        self.runner.start(SkillRequest(f"{skill} {self.simulation.time}", skill, parameters))

    def shoot(self) -> Image.Image:
        """A picture of now."""
        model, data = self.simulation.model, self.simulation.data
        x, y, _ = self.state.base_position
        at = np.array([x, y, 0.56 * self._height])
        eye = at + self._height * VIEW
        camera = model.camera("view").id
        model.cam_pos[camera] = eye
        model.cam_quat[camera] = _looking(eye, at)
        mujoco.mj_forward(model, data)
        return Image.fromarray(self._painter.paint(data).copy())


def _looking(eye: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The orientation (w, x, y, z) of a camera at ``eye`` that looks at ``at``, upright."""
    back = (eye - at) / np.linalg.norm(eye - at)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.column_stack([right, np.cross(back, right), back]).flatten())
    return quaternion


def emotions(robot: str, names: Sequence[str], labels: Sequence[str]) -> Image.Image:
    """One picture of each emotion, each from a stand, under a label."""
    shots, studio = [], Studio(robot)
    for name in names:
        studio.again()
        studio.start(name, {})
        studio.run(SHOWN_S)
        if studio.runner.status != "standing":
            raise SystemExit(f"{robot} is {studio.runner.status} after {name}")
        shots.append(studio.shoot())
    return _together(shots, labels, 5 if len(shots) > 6 else len(shots))


def strip(robot: str, skill: str, seconds: float, parameters: dict[str, float | str]) -> Image.Image:
    """Pictures of a skill at equal times."""
    studio = Studio(robot)
    if studio.simulation.body.skills[skill].lying:
        studio.push_over()
    studio.start(skill, parameters)
    shots, labels = [], []
    for number in range(FRAMES):
        shots.append(studio.shoot())
        labels.append(f"{number * seconds / (FRAMES - 1):.1f} s")
        studio.run(seconds / (FRAMES - 1))
    return _together(shots, labels, FRAMES)


def _together(shots: Sequence[Image.Image], labels: Sequence[str], columns: int) -> Image.Image:
    width, height = SIZE
    rows = -(-len(shots) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), "white")
    draw = ImageDraw.Draw(sheet)
    for number, (shot, label) in enumerate(zip(shots, labels, strict=True)):
        left, top = number % columns * width, number // columns * height
        sheet.paste(shot, (left, top))
        draw.text((left + 8, top + 6), label, fill="black", font_size=22)
    return sheet


def main(arguments: Sequence[str]) -> None:
    """Draw what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robot")
    parser.add_argument("what", help="emotions, or the name of a skill")
    parser.add_argument("out", type=Path)
    parser.add_argument("--unnamed", type=int)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--parameters", nargs="*", default=[])
    parser.add_argument("--width", type=int, default=0, help="pixels of the whole picture; 0: as drawn")
    given = parser.parse_args(arguments)
    if given.what == "emotions":
        names, labels = list(EMOTIONS), list(EMOTIONS)
        if given.unnamed is not None:
            random.Random(given.unnamed).shuffle(names)
            labels = [str(number) for number in range(1, len(names) + 1)]
            given.out.with_suffix(".order.txt").write_text("\n".join(names) + "\n")
        sheet = emotions(given.robot, names, labels)
    else:
        pairs = (parameter.split("=", 1) for parameter in given.parameters)
        sheet = strip(given.robot, given.what, given.seconds, dict(pairs))
    if given.width:
        sheet = sheet.resize(
            (given.width, round(sheet.height * given.width / sheet.width)), Image.Resampling.LANCZOS
        )
    sheet.quantize(COLORS, dither=Image.Dither.NONE).save(given.out, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
