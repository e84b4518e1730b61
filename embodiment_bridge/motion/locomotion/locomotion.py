# SPDX-License-Identifier: Apache-2.0
"""The interface of locomotion (a module of this folder for each ``moved_by``), and the blend of legs into a pose."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from embodiment_bridge.body.description import BodyDescription, Carrier, Joint
from embodiment_bridge.body.stance import Stance
from embodiment_bridge.motion import locomotion
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand
from embodiment_bridge.motion.joints.move import smooth
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.walking.walk_program import Pose, Program, follow

# Blends the legs from any pose into the wanted one, without a jump.

BLEND_S = 0.6  # s from any leg pose to the stand: slow enough not to push the body over


class Blend:
    """Mixes the start pose of ``joints`` (numbers) into their targets, with a weight that falls to 0 in ``BLEND_S``."""

    def __init__(self, joints: Sequence[int]) -> None:
        self._joints = tuple(joints)
        self._from: tuple[float, ...] = ()
        self._part = 1.0

    @property
    def done(self) -> bool:
        """Whether the weight of the start pose is 0."""
        return self._part >= 1.0

    def start_from(self, position: Sequence[float]) -> None:
        """Begin at ``position`` (rad per joint of the body)."""
        self._from = tuple(position[i] for i in self._joints)
        self._part = 0.0

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass."""
        self._part = min(self._part + dt / BLEND_S, 1.0)

    def write(self, out: list[float]) -> None:
        """Mix the start pose into ``out`` (rad per joint of the body)."""
        if self.done:
            return
        share = smooth(self._part)
        for joint, start in zip(self._joints, self._from, strict=True):
            out[joint] = start + (out[joint] - start) * share


class Locomotion(ABC):
    """Runs one walk program at a time; stands when there is none.

    ``walker``: the commanded pace. ``program`` may be set at any time. ``held`` stops the walk and keeps the program
    where it is. ``joints``: numbers of the joints that it uses. ``shoulders``: of those that swing with the walk, left
    and right. ``busy``: tells the joints that something else drives now. ``gains``: stiffness kp (Nm/rad) and kd
    (Nm s/rad) by number of joint, where they are not those of the body. ``remark``: for people, about the walk.
    """

    def __init__(self, walker: Pace, joints: Sequence[int], shoulders: Sequence[int] = ()) -> None:
        self.walker = walker
        self.joints, self.shoulders = tuple(joints), tuple(shoulders)
        self.busy: Callable[[], frozenset[int]] = frozenset
        self.program: Program | None = None
        self.held = False
        self._pose = Pose()
        self._blend = Blend(self.joints)

    @property
    def gains(self) -> Mapping[int, tuple[float, float]]:
        """Other kp and kd than those of the body, by number of joint: none."""
        return {}

    @property
    def remark(self) -> str:
        """The remark about the walk for people; empty here."""
        return ""

    @property
    def standing(self) -> bool:
        """Whether no walk is going on."""
        return self.walker.standing

    @property
    def calm(self) -> bool:
        """Whether no walk is going on, and the legs are where they are to stand."""
        return self.standing

    def start_from(self, position: Sequence[float]) -> None:
        """Go smoothly from ``position`` (rad per joint of the body) to the stand."""
        self.walker.reset()
        self.program = None
        self._blend.start_from(position)

    def stand_as(self, stance: Stance, seconds: float) -> None:  # noqa: B027 - optional
        """Take a stance from now on, after a change of ``seconds`` (legs of a gait).

        Others have no balance for it.
        """

    def sway_idly(self, stance: Stance) -> None:  # noqa: B027 - optional
        """Add ``stance`` to the present one, until the next call (legs of a gait)."""

    @abstractmethod
    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""

    @abstractmethod
    def write(self, out: list[float]) -> tuple[float, float]:
        """Put the angles (rad) of ``joints`` into ``out``; return the swing (rad) of left and right shoulder."""

    def _command(self, sensed: Sensed, yaw: float, ready: bool, dt: float) -> WalkCommand:
        """Follow the pose, whose hips are at ``yaw`` (rad).

        The command of the program for ``dt`` s, if it is ready.
        """
        follow(self._pose, sensed, yaw, self.walker, dt)
        if self.program is None or self.held or not ready:
            return STAND
        return self.program.step(self._pose, self.walker, dt)


Maker = Callable[[Carrier, Sequence[Joint], Mapping[str, int]], Locomotion]
"""Takes what the body file says, the joints of the body, and their numbers by name."""


def locomotion_of(description: BodyDescription, index: Mapping[str, int]) -> Locomotion | None:
    """Return the locomotion of a body; None if it cannot move. index: numbers of the joints by name."""
    carrier = description.carrier
    if carrier is None:
        return None
    make: Maker = import_module(f"{locomotion.__name__}.{carrier.moved_by}").LOCOMOTION
    return make(carrier, description.joints, index)
