# SPDX-License-Identifier: Apache-2.0
"""Draws the moving picture of the README: a T1 shakes its head, walks to the ball and kicks it.

    .venv/bin/python tools/moving_picture.py docs/pictures/first_look.gif

The world is that of the RoboCup MuJoCo simulator, in this process (docs/rcsssmj.md, "Managed simulation"); over the
network the same skills run. The captions are the BML actions of the skills. Rendering needs EGL or OSMesa.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.physics.camera import context
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.protocols.rcsssmj.commands import Beam
from embodiment_bridge.protocols.rcsssmj.managed_robot import CYCLE, ManagedRobot

ROOT = Path(__file__).parents[1]
SIZE = (640, 360)  # pixels
DRAWN = 2  # pixels of the rendering a pixel of the picture, for smooth edges
FRAME = 5  # cycles from picture to picture: 0.1 s
COLORS = 112
MOST_BYTES = 2_000_000
PLACE = (-2.0, 0.0)  # m, where the robot begins
BALL = (-0.75, 0.02, 0.11)  # m
LONGEST_S = 12.0  # of one skill
SUN = np.array([0.45, 0.35, -1.0])  # direction of its light
SUN_FAR = 3.0  # m; its shadows are sharp near the place that it is aimed at
SHADOWS_M = 4.0  # round that place
FAR = 0.72  # of the depth buffer, 3.9 m: farther away MuJoCo draws shadows that are none
SKYLINE = 0.62  # share of the height of a picture above which there is sky
ZENITH, HORIZON = (96, 146, 200), (222, 233, 240)
VIEW = {"distance": 2.5, "azimuth": 118.0, "elevation": -9.0}  # m, degrees


@dataclass(frozen=True)
class Act:
    """A skill, the BML action that it is, and how long it is watched after its end, s."""

    skill: str
    caption: str
    parameters: dict[str, float | str] = field(default_factory=dict)
    after: float = 0.0


SHOW = (
    Act("head_shake", "HEAD_SHAKE"),
    Act("hand_pitch", "HAND_PITCH", after=0.2),
    Act("walk", "WALK", {"distance": 0.85}, 0.4),
    Act("kick", "KICK", after=1.0),
    Act("happy", "HAPPY", after=1.2),
)


class Film:
    """A robot on its field, and the pictures of it."""

    def __init__(self) -> None:
        self.robot = ManagedRobot(read_body(ROOT / "config" / "bodies" / "t1.yaml"))
        self.runner = MotionRunner(self.robot.body)
        self.shots: list[Image.Image] = []
        self._cycles = 0
        simulation = self.robot.simulation.simulation
        self._model, self._data = simulation.mj_model, simulation.mj_data
        width, height = DRAWN * SIZE[0], DRAWN * SIZE[1]
        self._model.vis.global_.offwidth, self._model.vis.global_.offheight = width, height
        self._model.vis.map.shadowclip = SHADOWS_M / self._model.stat.extent
        self._model.vis.headlight.ambient[:], self._model.light_diffuse[:] = 0.35, 0.6
        self._gl = context(width, height)
        self._scene = mujoco.MjvScene(self._model, maxgeom=10_000)
        self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._frame = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.zeros((height, width, 3), dtype=np.uint8)
        self._depth = np.zeros((height, width), dtype=np.float32)
        up = np.linspace(0.0, 1.0, height)[:, None, None]  # rows from below, as MuJoCo has its pictures
        share = np.clip((1.0 - up) / (1.0 - SKYLINE), 0.0, 1.0) ** 2
        self._sky = np.broadcast_to(share * HORIZON + (1.0 - share) * ZENITH, self._pixels.shape)
        self._camera = mujoco.MjvCamera()
        self._camera.distance, self._camera.azimuth = VIEW["distance"], VIEW["azimuth"]
        self._camera.elevation = VIEW["elevation"]
        self._at = np.array([*PLACE, 0.5])

    def begin(self) -> None:
        """Put the robot and the ball in their places; it stands."""
        self.step(Beam(*PLACE, 0.0))
        for _ in range(150):
            self.step()
        self.robot.simulation.world.place_ball(BALL)
        self._at = np.array([*self.robot.state.base_position[:2], 0.5])

    def step(self, *actions: Any) -> None:
        """Let a cycle pass."""
        self.robot.step(self.runner.step(self.robot.state, CYCLE), *actions)
        x, y, _ = self.robot.state.base_position
        self._at += 0.04 * (np.array([x + 0.3, y, 0.5]) - self._at)

    def act(self, act: Act) -> None:
        """Perform and film a skill."""
        name = f"{act.skill} {self._cycles}"
        self.runner.start(SkillRequest(name, act.skill, act.parameters))
        left = round(LONGEST_S / CYCLE)
        ended = False
        while left > 0:
            if self._cycles % FRAME == 0:
                self.shots.append(self._shoot(act.caption))
            self.step()
            self._cycles += 1
            left -= 1
            if not ended and any(report.status.ended for report in self.runner.take_reports()):
                ended, left = True, round(act.after / CYCLE)
        if self.runner.status != "standing":
            raise SystemExit(f"the robot is {self.runner.status} after {act.skill}")

    def close(self) -> None:
        """Free what the graphics driver holds."""
        self._context.free()
        self._gl.free()

    def _shoot(self, caption: str) -> Image.Image:
        self._camera.lookat[:] = self._at
        self._data.light_xdir[0] = SUN / np.linalg.norm(SUN)
        self._data.light_xpos[0] = self._at - SUN_FAR * self._data.light_xdir[0]
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        option = mujoco.MjvOption()
        mujoco.mjv_updateScene(self._model, self._data, option, None, self._camera, everything, self._scene)
        plain, _ = self._render(shadows=0)
        picture, depth = self._render(shadows=1)
        picture = np.where((depth > FAR)[..., None], plain, picture)
        picture = np.where((depth >= 1.0)[..., None], self._sky, picture).astype(np.uint8)
        image = Image.fromarray(picture[::-1]).resize(SIZE, Image.Resampling.LANCZOS)
        draw = ImageDraw.Draw(image)
        text = f'{{"type": "body", "action": "{caption}"}}'
        draw.rectangle((0, SIZE[1] - 34, SIZE[0], SIZE[1]), fill=(24, 28, 34))
        draw.text((14, SIZE[1] - 27), text, fill=(236, 240, 244), font_size=17)
        return image

    def _render(self, *, shadows: int) -> tuple[np.ndarray, np.ndarray]:
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        mujoco.mjr_render(self._frame, self._scene, self._context)
        mujoco.mjr_readPixels(self._pixels, self._depth, self._frame, self._context)
        return self._pixels.copy(), self._depth.copy()


def main(out: Path) -> None:
    """Film the show."""
    film = Film()
    film.begin()
    for act in SHOW:
        film.act(act)
    film.close()
    palette = film.shots[len(film.shots) // 2].quantize(COLORS, dither=Image.Dither.NONE)
    frames = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in film.shots]
    duration = round(1000 * FRAME * CYCLE)
    frames[0].save(out, save_all=True, append_images=frames[1:], duration=duration, loop=0, optimize=True)
    if out.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{out} has {out.stat().st_size} bytes, more than {MOST_BYTES}")
    sys.stdout.write(f"{out}: {len(frames)} pictures, {out.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
