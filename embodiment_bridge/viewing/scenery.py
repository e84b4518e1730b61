# SPDX-License-Identifier: Apache-2.0
"""Floor, sky and light of the scene, by day and by night."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from viser import SceneApi

GROUND: Final = 120.0  # m, of the grid on the floor
SKY_LINES: Final = 64  # of the picture of the sky, from top to bottom
HORIZON: Final = 0.45  # share of the picture above which there is sky

Color = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of a time of day, and the strength of its lights."""

    floor: Color
    cell: Color
    section: Color
    zenith: Color
    horizon: Color
    sun: float
    sky: float


DAY: Final = Look(
    (148, 160, 148), (128, 141, 130), (108, 122, 112), (112, 158, 206), (222, 232, 238), 2.2, 1.3
)
NIGHT: Final = Look((38, 46, 46), (56, 64, 70), (80, 90, 100), (8, 10, 22), (40, 46, 66), 0.7, 0.5)


def paint(scene: SceneApi, *, night: bool) -> None:
    """Draw the floor and the sky, and set the lights; the sun casts shadows."""
    look = NIGHT if night else DAY
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere(
        "/light/sky", sky_color=look.horizon, ground_color=look.floor, intensity=look.sky
    )
    scene.add_light_directional("/light/sun", intensity=look.sun, cast_shadow=True, position=(-4.0, 3.0, 9.0))
    scene.add_grid(
        "/ground", GROUND, GROUND, cell_size=1.0, section_size=5.0, cell_color=look.cell,
        section_color=look.section, plane_color=look.floor, plane_opacity=1.0, shadow_opacity=0.35,
        position=(0.0, 0.0, -0.004),
    )  # fmt: skip
    scene.set_background_image(_sky(look), format="png")


def _sky(look: Look) -> np.ndarray:
    share = np.clip(np.linspace(0.0, 1.0 / HORIZON, SKY_LINES), 0.0, 1.0)[:, None, None]
    colors = (1.0 - share) * np.array(look.zenith) + share * np.array(look.horizon)
    return np.repeat(colors, 2, axis=1).astype(np.uint8)
