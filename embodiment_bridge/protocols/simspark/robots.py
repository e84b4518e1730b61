# SPDX-License-Identifier: Apache-2.0
"""The Nao of rcssserver3d 0.7.3 as data: scene files, joints, limits.

Joints are velocity-driven: an effector takes rad/s and keeps it until the next command. Ranges and speeds are those of
the server's ``nao.rsg``. Joint names are those of the perceptors; angles have the server's signs: pitches are positive
when the limb goes up or forward (its axis is x, to the right), ``?j2`` of arms and all yaws are positive to the left.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

MAX_SPEED_DEG_S: Final = 351.77  # the server cuts more
MAX_SAME_TYPE: Final = 7  # robots of a team; so there are three types at least in a whole one
MAX_TWO_TYPES: Final = 9


@dataclass(frozen=True, slots=True)
class Joint:
    """One hinge: ``name`` of its perceptor and in ROS, ``effector`` to command it, range in degrees, speed in deg/s."""

    name: str
    min_deg: float
    max_deg: float
    speed_deg_s: float = MAX_SPEED_DEG_S

    @property
    def effector(self) -> str:
        """``llj3`` is driven by ``lle3``."""
        return f"{self.name[:-2]}e{self.name[-1]}"


@dataclass(frozen=True, slots=True)
class Robot:
    """One model: ``scene`` is what goes into the scene command; ``joints`` in the order of the percept."""

    name: str
    scene: str
    joints: tuple[Joint, ...]

    @property
    def type(self) -> int:
        """The number of its type, of which a team may have not too many; that of ``nao.rsg`` is 0."""
        return int(self.name.removeprefix("nao") or 0)

    @property
    def effectors(self) -> tuple[str, ...]:
        """The names that motor commands may have."""
        return tuple(joint.effector for joint in self.joints)


_UPPER = (
    Joint("hj1", -120.0, 120.0),
    Joint("hj2", -45.0, 45.0),
    Joint("raj1", -120.0, 120.0),
    Joint("raj2", -95.0, 1.0),
    Joint("raj3", -120.0, 120.0),
    Joint("raj4", -1.0, 90.0),
    Joint("laj1", -120.0, 120.0),
    Joint("laj2", -1.0, 95.0),
    Joint("laj3", -120.0, 120.0),
    Joint("laj4", -90.0, 1.0),
)
_RIGHT = (
    Joint("rlj1", -90.0, 1.0),
    Joint("rlj2", -45.0, 25.0),
    Joint("rlj3", -25.0, 100.0),
    Joint("rlj4", -130.0, 1.0),
    Joint("rlj5", -45.0, 75.0),
    Joint("rlj6", -25.0, 45.0),
)
_LEFT = (
    Joint("llj1", -90.0, 1.0),
    Joint("llj2", -25.0, 45.0),
    Joint("llj3", -25.0, 100.0),
    Joint("llj4", -130.0, 1.0),
    Joint("llj5", -45.0, 75.0),
    Joint("llj6", -45.0, 25.0),
)
_PLAIN = (*_UPPER, *_RIGHT, *_LEFT)
_TOED = (*_UPPER, *_RIGHT, Joint("rlj7", -1.0, 70.0), *_LEFT, Joint("llj7", -1.0, 70.0))

FAST_PITCH_DEG_S: Final = 504.585  # of the ankles of type 2
SLOW_ROLL_DEG_S: Final = 198.95
_TYPE_2 = tuple(
    replace(joint, speed_deg_s={"5": FAST_PITCH_DEG_S, "6": SLOW_ROLL_DEG_S}[joint.name[-1]])
    if joint.name[1:] in ("lj5", "lj6")
    else joint
    for joint in _PLAIN
)

_HETERO: Final = "rsg/agent/nao/nao_hetero.rsg"

ROBOTS: Final[Mapping[str, Robot]] = MappingProxyType(
    {
        "nao": Robot("nao", "rsg/agent/nao/nao.rsg", _PLAIN),
        **{
            f"nao{kind}": Robot(f"nao{kind}", f"{_HETERO} {kind}", _TYPE_2 if kind == 2 else _PLAIN)
            for kind in range(4)
        },
        "nao4": Robot("nao4", f"{_HETERO} 4", _TOED),
    }
)

EFFECTORS: Final = frozenset(name for robot in ROBOTS.values() for name in robot.effectors)
# lae1_2: both axes of a joint of the old soccerbots
UNIVERSAL_EFFECTOR: Final = r"[a-z]{1,6}[0-9]{1,3}_[0-9]{1,3}"


def types_fit(types: Iterable[int]) -> bool:
    """Whether a server lets these types play in one team: 7 of one and 9 of two at most."""
    counts = sorted(Counter(types).values())[-2:]
    return sum(counts[-1:]) <= MAX_SAME_TYPE and sum(counts) <= MAX_TWO_TYPES
