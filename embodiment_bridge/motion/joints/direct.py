# SPDX-License-Identifier: Apache-2.0
"""Drives joints directly by commands of controllers that run elsewhere, and writes the targets of the body's joints."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite

from embodiment_bridge.body.description import Joint
from embodiment_bridge.body.state import JointTargets
from embodiment_bridge.core.errors import CommandError, unknown

TIMEOUT_S = 0.2  # s without a command after which the joints hold where they are: ten cycles
MOST_TURNING = 1e3  # rad/s of a joint that turns without an end
MOST = {"kp": 1e5, "kd": 1e5}  # a number that the wire does not take would cost the whole frame


@dataclass(frozen=True, slots=True)
class JointDrive:
    """Commands one joint: rad, rad/s, Nm/rad, Nm s/rad, Nm."""

    position: float
    velocity: float
    kp: float
    kd: float
    effort: float


class DirectDrive:
    """Holds the newest command of each joint, by number. Each expires alone: others may come from elsewhere."""

    def __init__(self) -> None:
        self.drives: dict[int, JointDrive] = {}
        self._left: dict[int, float] = {}  # s until the command of a joint expires

    def set(self, drives: Mapping[int, JointDrive]) -> None:
        """Set the commands of some joints; the others keep theirs, and the time that these have left."""
        self.drives.update(drives)
        self._left.update(dict.fromkeys(drives, TIMEOUT_S))

    def clear(self) -> None:
        """Drop all commands."""
        self.drives.clear()
        self._left.clear()

    def advance(self, dt: float) -> list[int]:
        """Let ``dt`` s pass; the joints whose commands expired in this time."""
        for joint in self._left:
            self._left[joint] -= dt
        over = [joint for joint, left in self._left.items() if left <= 0.0]
        for joint in over:
            del self.drives[joint], self._left[joint]
        return over

    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) into ``out``."""
        for joint, drive in self.drives.items():
            out[joint] = drive.position


def checked_drives(
    joints: Sequence[Joint],
    here: Sequence[float],
    names: Sequence[str],
    columns: Mapping[str, Sequence[float]],
) -> dict[int, JointDrive]:
    """Check a command given as arrays, and return it by joint number.

    Args:
        joints: of the body.
        here: rad, present angle of each joint, used if ``position`` is empty.
        names: of the joints that are commanded.
        columns: ``position velocity kp kd effort``, each empty or one value per name.

    Raises:
        CommandError: unknown or repeated joint, an array of the wrong length, a value that is not finite or beyond
            ``MOST``, a negative gain, a position, velocity or effort beyond the joint's limit; the text names joint,
            value and limit.
    """
    numbers = {joint.name: i for i, joint in enumerate(joints)}
    for name in names:
        if name not in numbers:
            raise CommandError(f"joint command: {unknown('joint', name, numbers)}")
    if len(set(names)) != len(names):
        raise CommandError(f"joint command: a joint is named twice in {', '.join(names)}")
    for what, values in columns.items():
        if values and len(values) != len(names):
            raise CommandError(f"joint command: {len(values)} values of {what} for {len(names)} joints")
        for name, value in zip(names, values, strict=False):
            if not isfinite(value):
                raise CommandError(f"joint command: {what} of {name} is {value}, not a finite number")
            if abs(value) > MOST.get(what, inf):
                raise CommandError(
                    f"joint command: {what} of {name} is {value:g}, its limit is {MOST[what]:g}"
                )
    return {
        numbers[name]: _drive(joints[numbers[name]], here[numbers[name]], row, columns)
        for row, name in enumerate(names)
    }


def _drive(joint: Joint, here: float, row: int, columns: Mapping[str, Sequence[float]]) -> JointDrive:
    def value(what: str, default: float) -> float:
        values = columns.get(what, ())
        return values[row] if values else default

    drive = JointDrive(
        value("position", here),
        value("velocity", 0.0),
        value("kp", joint.kp),
        value("kd", joint.kd),
        value("effort", 0.0),
    )
    if not joint.lower <= drive.position <= joint.upper and columns.get("position"):
        span = f"{joint.lower:g}..{joint.upper:g} rad"
        raise CommandError(f"joint command: {joint.name} at {drive.position:g} rad, not within {span}")
    if drive.kp < 0.0 or drive.kd < 0.0:
        raise CommandError(
            f"joint command: {joint.name} has gains kp {drive.kp:g} and kd {drive.kd:g}; none is negative"
        )
    # A wheel may have no limit of its own: its description gives it a usual speed then.
    fastest = joint.velocity if isfinite(joint.upper) else MOST_TURNING
    if abs(drive.velocity) > fastest:
        raise CommandError(
            f"joint command: {joint.name} at {drive.velocity:g} rad/s, its limit is {fastest:g} rad/s"
        )
    if abs(drive.effort) > joint.effort:
        raise CommandError(
            f"joint command: {joint.name} at {drive.effort:g} Nm, its limit is {joint.effort:g} Nm"
        )
    return drive


class TargetWriter:
    """Makes targets with the gains of the body file, except where a gait or a direct command has its own."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._none = (0.0,) * len(joints)
        self._kp, self._kd = tuple(j.kp for j in joints), tuple(j.kd for j in joints)

    def limp(self, position: Sequence[float]) -> JointTargets:
        """Return targets without torque; ``position`` (rad) is where the joints are."""
        return JointTargets(tuple(position), self._none, self._none, self._none, self._none)

    def of(
        self,
        position: Sequence[float],
        velocity: Sequence[float],
        damped: Collection[int],
        gains: Mapping[int, tuple[float, float]],
        drives: Mapping[int, JointDrive],
    ) -> JointTargets:
        """Return targets at ``position`` (rad) and ``velocity`` (rad/s).

        By the number of the joint, ``damped``: to have no velocity; ``gains``: kp and kd of a gait, which damps too;
        ``drives``: direct commands.
        """
        speed = [0.0 if i in damped or i in gains else v for i, v in enumerate(velocity)]
        if not drives and not gains:
            return JointTargets(tuple(position), tuple(speed), self._kp, self._kd, self._none)
        kp, kd, effort = list(self._kp), list(self._kd), list(self._none)
        for i, (stiff, damping) in gains.items():
            kp[i], kd[i] = stiff, damping
        for i, drive in drives.items():
            speed[i], kp[i], kd[i], effort[i] = drive.velocity, drive.kp, drive.kd, drive.effort
        return JointTargets(tuple(position), tuple(speed), tuple(kp), tuple(kd), tuple(effort))
