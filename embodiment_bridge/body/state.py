# SPDX-License-Identifier: Apache-2.0
"""Types that all layers share for a body.

Its skills, state and joint targets, and the actions PAUSE, RESUME and STOP. SI units, REP-103.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from typing import Final

ZERO3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """One parameter of a skill. ``type`` is ``number``, ``text`` or ``thing`` (id or kind of an entity).

    ``minimum`` and ``maximum`` of a number are in its ``unit``. ``default`` is a text, also of a number; empty where
    the parameter is ``required`` or the body decides. ``choices``: the texts that it takes; empty: any.
    """

    name: str
    description: str = ""
    type: str = "number"
    unit: str = ""
    minimum: float = -inf
    maximum: float = inf
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillInfo:
    """One skill of a body, which plans and BML actions request by name.

    ``name`` is lower case (``head_shake``). ``kind`` is ``motion`` (keyframes), ``light``, ``walk`` or ``native``.
    ``nominal_s`` is the length when no slot is given, ``min_s`` the shortest slot it can keep.
    ``available`` is False if this body lacks a channel of the skill: the skill then only waits for its slot to end.
    ``details`` are the ``parameters`` in the same order; empty where the sender does not know them.
    """

    name: str
    kind: str
    channels: tuple[str, ...]
    nominal_s: float
    min_s: float
    parameters: tuple[str, ...] = ()
    available: bool = True
    description: str = ""
    details: tuple[ParameterInfo, ...] = ()


class SkillStatus(Enum):
    """Whether a skill runs, or how it ended."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    SKIPPED = "skipped"  # the body lacks the channel; the slot was waited for
    REPLACED = "replaced"  # a newer claim took a channel
    CANCELED = "canceled"  # on request; the joints are at rest
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether this status is final."""
        return self is not SkillStatus.RUNNING


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """A request for a skill. ``slot_s`` 0 is the natural length. ``source`` names the client, for logs."""

    id: str
    name: str
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    slot_s: float = 0.0
    source: str = ""


@dataclass(frozen=True, slots=True)
class SkillReport:
    """State of the skill of request ``id``: ``progress`` 0..1, ``held`` while frozen, ``reason`` for people."""

    id: str
    status: SkillStatus
    progress: float = 0.0
    held: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BodyState:
    """The state of a body as one percept reports it.

    time: s, the body's own clock (dt comes from here, never from arrival times).
    position, velocity: rad and rad/s per joint, in the order of the body's joint list.
    base_position: m in ``map``; roll, pitch, yaw: rad of base_link in ``map``; base_rates: rad/s in base_link.
    has_base: whether the base values are known.
    has_tilt: whether roll, pitch and base_rates are known while the position may be unknown; has_base implies it.
    height_estimated: whether the z of base_position is a rough estimate, too weak to tell standing from lying.
    limp: why a joint, by its number, follows no targets: it has no torque, or is silent.
    """

    time: float
    position: tuple[float, ...]
    velocity: tuple[float, ...]
    base_position: tuple[float, float, float] = ZERO3
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0
    base_rates: tuple[float, float, float] = ZERO3
    has_base: bool = False
    has_tilt: bool = False
    height_estimated: bool = False
    limp: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JointTargets:
    """Commands of the joints until the next percept, in the order of the body's joint list.

    position rad, velocity rad/s, kp Nm/rad, kd Nm s/rad, effort Nm:
    torque = kp (position - q) + kd (velocity - dq) + effort.
    """

    position: tuple[float, ...]
    velocity: tuple[float, ...]
    kp: tuple[float, ...]
    kd: tuple[float, ...]
    effort: tuple[float, ...]


# The body actions PAUSE, RESUME and STOP, for robots that have them switched on.

CONTROL_ACTIONS: Final = ("pause", "resume", "stop")  # off unless a robot's parameters switch them on
CONTROL_PARAMETER: Final = "control_actions"
CONTROL: Final = "control"  # the kind of these skills
RESET: Final = "reset"  # brings the body to its rest pose, which is what STOP does


def with_control_actions(skills: Mapping[str, SkillInfo]) -> dict[str, SkillInfo]:
    """The skills of a body and the control actions; a skill of the body of the same name stays.

    PAUSE and RESUME take no time and no channel. STOP takes as long as ``reset`` and has its channels; a body without
    that has no STOP.
    """
    reset = skills.get(RESET)
    found = {name: SkillInfo(name, CONTROL, (), 0.0, 0.0) for name in CONTROL_ACTIONS if name != "stop"}
    if reset is not None:
        found["stop"] = SkillInfo(
            "stop", CONTROL, reset.channels, reset.nominal_s, reset.min_s, available=reset.available
        )
    return {**found, **skills}
