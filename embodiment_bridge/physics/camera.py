# SPDX-License-Identifier: Apache-2.0
"""Pictures of a simulated world, rendered off screen with EGL or OSMesa."""

import importlib
from collections.abc import Callable
from math import atan, degrees, radians, tan
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.physics.engine import mujoco

BACKENDS: Final = ("egl", "osmesa")
MOST_SHAPES: Final = 10_000
Image = npt.NDArray[np.uint8]


class Painter(ClosedOnExit):
    """Renders what one camera sees. All calls, also that which makes it, have to be on one thread.

    height: of the picture, rad.

    Args:
        model: the world.
        camera: name of a camera of the model.
        width, height: pixels.
        field_of_view: rad, from the left to the right side; None for that of the model.

    Raises:
        ConfigError: there is no such camera, or this machine cannot render.
    """

    def __init__(
        self, model: mujoco.MjModel, camera: str, width: int, height: int, field_of_view: float | None = None
    ) -> None:
        names = [model.camera(number).name for number in range(model.ncam)]
        if camera not in names:
            raise ConfigError(unknown("camera", camera, names))
        self._model = model
        if field_of_view is not None:
            model.cam_fovy[model.camera(camera).id] = degrees(high(field_of_view, width, height))
        self.height = radians(float(model.cam_fovy[model.camera(camera).id]))
        model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
        model.vis.global_.offheight = max(height, model.vis.global_.offheight)
        model.vis.quality.offsamples = 0  # smooth edges and shadows take a second without a graphics card
        self._gl = context(width, height)
        self._scene = mujoco.MjvScene(model, maxgeom=MOST_SHAPES)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._scene.flags[flag] = 0
        self._options = mujoco.MjvOption()
        self._view = mujoco.MjvCamera()
        self._view.type, self._view.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera(camera).id
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._frame = mujoco.MjrRect(0, 0, width, height)
        self._image: Image = np.zeros((height, width, 3), dtype=np.uint8)

    def paint(self, data: mujoco.MjData) -> Image:
        """Return the picture of a state: rows from above, RGB."""
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, data, self._options, None, self._view, everything, self._scene)
        mujoco.mjr_render(self._frame, self._scene, self._context)
        mujoco.mjr_readPixels(self._image, None, self._frame, self._context)
        return self._image[::-1]

    def close(self) -> None:
        """Free what the graphics driver holds. May be called more than once."""
        self._context.free()
        self._gl.free()


def high(field_of_view: float, width: int, height: int) -> float:
    """Return the height of a picture in rad, whose width is ``field_of_view`` rad."""
    return 2.0 * atan(tan(0.5 * field_of_view) * height / width)


def context(width: int, height: int) -> Any:
    """Return a current OpenGL context without a window, to be freed by the caller.

    Raises:
        ConfigError: this machine cannot render.
    """
    troubles = []
    for backend in BACKENDS:
        try:
            make: Callable[[int, int], Any] = importlib.import_module(f"mujoco.{backend}").GLContext
            context = make(width, height)
            context.make_current()
        except (ImportError, AttributeError, RuntimeError, OSError) as error:
            troubles.append(f"{backend}: {error}")
        else:
            return context
    raise ConfigError(
        f"this machine cannot render pictures ({'; '.join(troubles)}); install libegl1 or libosmesa6"
    )
