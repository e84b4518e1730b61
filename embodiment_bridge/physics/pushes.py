# SPDX-License-Identifier: Apache-2.0
"""Forces from outside on links of the robot, each for a time."""

from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.physics.engine import mujoco

FOREVER: Final = 1_000_000_000  # steps
LONGEST: Final = 3600.0  # s


@dataclass(slots=True)
class Push:
    """A force (N) and a torque (Nm) on a body, in ``map``, for so many steps more."""

    body: int
    force: Vector
    torque: Vector
    steps: int


class Pushes:
    """The pushes on the robot whose base is the body ``root``."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, root: int) -> None:
        self._model, self._data = model, data
        self._links = {
            model.body(b).name: b for b in range(1, model.nbody) if int(model.body_rootid[b]) == root
        }
        self._base = root
        self._pushes: list[Push] = []

    @property
    def steps_left(self) -> int:
        """Steps until the next push ends."""
        return min((push.steps for push in self._pushes), default=FOREVER)

    def add(self, link: str, force: Vector, torque: Vector, seconds: float) -> None:
        """Push a link at its centre of mass; an empty name is the base. N, Nm in ``map``, s.

        Raises:
            CommandError: the link is unknown, or a value is not finite, or the time not above 0.
        """
        if link and link not in self._links:
            raise CommandError(unknown("link", link, self._links))
        if not all(map(isfinite, (*force, *torque))):
            raise CommandError(f"force {force} N, torque {torque} Nm is not finite")
        if not 0.0 < seconds <= LONGEST:
            raise CommandError(f"duration is {seconds} s; it must be above 0 and at most {LONGEST:g} s")
        steps = max(round(seconds / float(self._model.opt.timestep)), 1)
        self._pushes.append(Push(self._links.get(link, self._base), force, torque, steps))

    def apply(self) -> None:
        """Hand the forces to MuJoCo for the next steps."""
        if self._pushes:
            self._data.xfrc_applied[:] = 0.0
            for push in self._pushes:
                self._data.xfrc_applied[push.body] += (*push.force, *push.torque)

    def passed(self, steps: int) -> None:
        """So many steps have passed."""
        if self._pushes:
            for push in self._pushes:
                push.steps -= steps
            self._pushes = [push for push in self._pushes if push.steps > 0]
            if not self._pushes:
                self._data.xfrc_applied[:] = 0.0

    def clear(self) -> None:
        """End all pushes."""
        self._pushes.clear()
        mujoco.mju_zero(self._data.xfrc_applied.reshape(-1))
