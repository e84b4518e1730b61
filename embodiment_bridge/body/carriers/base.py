# SPDX-License-Identifier: Apache-2.0
"""A base that cannot fall, on wheels or on legs that follow a table of angles, and its kick by keyframes.

The section ``base`` of a body file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from embodiment_bridge.body.config_section import ANGLE_LIMIT, Section
from embodiment_bridge.body.description import Joint, Keyframe, WalkLimits
from embodiment_bridge.body.kick_section import BallKick, read_ways
from embodiment_bridge.body.motion_section import mirror_image, read_keyframes, shortest_motion

# The section ``kick`` of a base on legs that walk by keyframes: a motion of the legs, from a stand to a stand.

LONGEST_S = 10.0


@dataclass(frozen=True, slots=True)
class KeyframeKick(BallKick):
    """A kick by ``keyframes`` of the legs in ``seconds``, for the left foot and mirrored for the right one."""

    seconds: float
    left: tuple[Keyframe, ...]
    right: tuple[Keyframe, ...]


def read_keyframe_kick(section: Section, joints: Mapping[str, Joint]) -> KeyframeKick:
    """The kick; ``joints`` are those of the body.

    Raises:
        ConfigError: a key is missing, unknown or out of range, the keyframes do not end in the rest pose, a joint
            is too slow for them, or its counterpart cannot do the same.
    """
    legs = {name: joint for name, joint in joints.items() if joint.channel == "legs"}
    left = read_keyframes(section, "keyframes", legs, legs.values())
    right = [mirror_image(frame, legs) for frame in left]
    if right == left:
        raise section.wrong("keyframes", "possible for the other foot: no joint in them has the key 'mirror'")
    for name, angle in (pair for frame in right for pair in frame.position.items()):
        if name not in legs or not legs[name].lower <= angle <= legs[name].upper:
            raise section.wrong("keyframes", f"possible for the other foot: {name!r} cannot go to {angle:g}")
    if any(left[-1].position.get(name) != joint.rest for name, joint in legs.items()):
        raise section.wrong("keyframes", "a list that ends with rest: true")
    seconds = section.number("seconds", 0.1, LONGEST_S)
    if seconds < (need := shortest_motion(left, legs)) - 1e-9:
        raise section.wrong("seconds", f"long enough for its joints, which need {need:.3f} s")
    ways, outward = read_ways(section, 1)
    kick = KeyframeKick(
        ahead=section.number("ahead", 0.0, 1.0),
        aside=section.number("aside", -1.0, 1.0),
        ways=ways,
        outward=outward,
        further=(0.0,) * len(ways),
        seconds=seconds,
        left=tuple(left),
        right=tuple(right),
    )
    section.close()
    return kick


TINY = 1e-6
MAX_KEYFRAMES = 100  # of a cycle
MOST_SETTLE_STEPS = 50.0


@dataclass(frozen=True, slots=True)
class Cycle:
    """A gait of keyframes: angles (rad, relative to the rest pose) by leg joint over two steps, the left one first.

    All tables have the same number of angles, equally spaced in time, and are periodic. step: stepping on the spot;
    forward, turn and left: what is added at full speed forward, of a turn to the left, and to the left side; left is
    empty for legs that cannot go sideways. backward_share: of ``forward``, for a walk backward at full speed.
    """

    step: Mapping[str, tuple[float, ...]]
    forward: Mapping[str, tuple[float, ...]]
    turn: Mapping[str, tuple[float, ...]]
    backward_share: float = 1.0
    left: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Base:
    """A base that moves at the commanded speed and cannot fall: wheels, or legs that are only drawn.

    step_s: duration of one step, s. swing: amplitude of each leg joint at full speed, rad. kick: of legs with a cycle.
    """

    walk: WalkLimits
    step_s: float
    swing: Mapping[str, float] = field(default_factory=dict)
    moved_by: str = "drive"
    balances: bool = False
    kick: KeyframeKick | None = None

    def step_at(self, forward: float) -> float:
        """Return the duration of one step, s: the same at every speed."""
        return self.step_s


@dataclass(frozen=True, slots=True, kw_only=True)
class SteppingBase(Base):
    """A base on legs that repeat the angles of a ``cycle``, and whose steps fade in ``settle_steps`` after the way."""

    cycle: Cycle
    settle_steps: float = 1.0
    moved_by: str = "keyframe_gait"


def even_limits(
    forward: float,
    backward: float,
    turn: float,
    speed_rate: float,
    turn_rate: float,
    left: float = 0.0,
    settle_s: float = 0.0,
) -> WalkLimits:
    """The limits of a base that decelerates evenly: it covers half of what it would have covered at its first speed.

    forward, backward, left: m/s at full speed (left 0: it cannot go sideways); turn: rad/s at full speed. speed_rate,
    turn_rate: share of full speed by which they change in a second. settle_s: s that it steps on after its way.
    """
    return WalkLimits(
        forward=forward,
        backward=backward,
        turn=turn,
        amplitude_rate=1.0 / (1.0 / speed_rate + settle_s),
        forward_rate=speed_rate,
        turn_rate=turn_rate,
        brake=TINY,
        settle_forward=0.0,
        coast_forward=0.5 * forward / speed_rate,
        coast_backward=0.5 * backward / speed_rate,
        coast_turn=0.5 * turn / turn_rate,
        left=left,
        left_rate=speed_rate,
        coast_left=0.5 * left / speed_rate,
    )


def read(section: Section, joints: Mapping[str, Joint], folder: Path | None) -> Base:
    """The base."""
    forward, backward = section.number("forward", 0.01, 100.0), section.number("backward", 0.01, 100.0)
    turn, left = section.number("turn", 0.01, 100.0), section.number("left", 0.0, 100.0, 0.0)
    speed_rate = section.number("acceleration", 0.01, 1000.0) / max(forward, backward)
    turn_rate = section.number("turn_acceleration", 0.01, 1000.0) / turn
    step_s = section.number("step_s", 0.01, 10.0)
    settle_steps = section.number("settle_steps", 1.0, MOST_SETTLE_STEPS, 1.0)
    settle_s = (settle_steps - 1.0) * step_s  # the last step counts as part of the way
    walk = even_limits(forward, backward, turn, speed_rate, turn_rate, left, settle_s)
    walk = replace(
        walk,
        coast_forward=section.number("coast_forward", -1.0, 1.0, walk.coast_forward),
        coast_backward=section.number("coast_backward", -1.0, 1.0, walk.coast_backward),
        coast_turn=section.number("coast_turn", -1.0, 1.0, walk.coast_turn),
    )
    swing = section.section("swing") if section.has("swing") else None
    angles = {name: swing.number(name, -ANGLE_LIMIT, ANGLE_LIMIT) for name in swing.names()} if swing else {}
    if swing:
        swing.require(name for name, joint in joints.items() if joint.channel == "legs")
    cycle = _cycle(section.section("cycle"), joints) if section.has("cycle") else None
    if swing and cycle:
        raise section.wrong("swing", "possible beside a cycle")
    if cycle and bool(cycle.left) != bool(left):
        raise section.wrong("left", "a speed, beside the table cycle.left, or both left out")
    if settle_steps > 1.0 and not cycle:
        raise section.wrong("settle_steps", "possible without a cycle")
    kick = read_keyframe_kick(section.section("kick"), joints) if cycle and section.has("kick") else None
    section.close()
    if cycle:
        return SteppingBase(walk, step_s, cycle=cycle, settle_steps=settle_steps, kick=kick)
    return Base(walk, step_s, angles)


def _cycle(section: Section, joints: Mapping[str, Joint]) -> Cycle:
    count = int(section.number("count", 2, MAX_KEYFRAMES))
    legs = [name for name, joint in joints.items() if joint.channel == "legs"]
    backward = section.number("backward_share", 0.0, 1.0, 1.0)
    tables: dict[str, Mapping[str, tuple[float, ...]]] = {}
    for key in ("step", "forward", "turn", "left"):
        if key == "left" and not section.has(key):
            tables[key] = {}
            continue
        table = section.section(key)
        rows = {name: table.numbers(name, count, -ANGLE_LIMIT, ANGLE_LIMIT) for name in table.names()}
        table.require(legs)
        tables[key] = rows
    section.close()
    return Cycle(tables["step"], tables["forward"], tables["turn"], backward, tables["left"])
