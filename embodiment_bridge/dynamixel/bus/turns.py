# SPDX-License-Identifier: Apache-2.0
"""Finds the whole turns of a horn, which a servo forgets without power and in position mode."""

from math import ceil, floor, isfinite

from embodiment_bridge.dynamixel.bus.joints import Calibration
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.config.calibration import Stored

MOVED = 0.125  # turns by which a servo may have been moved without power while its turns still count as known
MANY_TURNS = ("extended_position", "current_based_position")
MOST_TURNS = 2**31


def are_counted(servo: Servo) -> bool:
    """Return whether the turns of a servo are counted on from where it was last; else what it tells is right."""
    if servo.table.keeps_turns:
        return False
    return servo.mode in MANY_TURNS or (_is_limited(servo) and not _is_absolute(servo))


def seen_last(servo: Servo, before: int | None, stored: Stored | None) -> tuple[int | None, bool]:
    """Return the last position of a servo, in counts of now, and whether it is sure.

    before: its position before it was silent; else it is that of the calibration file.
    """
    if not are_counted(servo):
        return None, True
    if before is not None:
        return before, True
    if stored is None or (stored.id, stored.model) != (servo.id, servo.table.name) or stored.ticks is None:
        return None, True
    turns = servo.scale.calibration.turns * servo.scale.ticks_per_turn
    return stored.ticks - round(turns), stored.clean


def find_turns(servo: Servo, last: int | None, *, sure: bool = True) -> None:
    """Find the turn of a servo whose position was read; ``lost_turn`` says why that cannot be.

    A servo that was seen before, and was not moved far since, is in the turn that follows. Else the turn counts in
    which the joint is within its range.

    last: where it was last, in counts of now and with whole turns; None: unknown. sure: nothing speaks against it.
    """
    turn = servo.scale.ticks_per_turn
    turns, moved = 0, 0.0
    if last is not None:
        turns = round((last - servo.ticks) / turn)
        moved = servo.ticks + turns * turn - last
    doubt = "" if sure else "the driver did not end cleanly before"
    if abs(moved) > MOVED * turn:
        doubt = f"it is {moved:.0f} counts from where it was"
    servo.lost_turn = ""
    if _is_limited(servo) and not servo.table.keeps_turns:
        width = abs(servo.scale.ticks(servo.config.upper) - servo.scale.ticks(servo.config.lower)) / turn
        fitting = _within(servo, min(MOVED, max(1.0 - width, 0.0) / 4))  # at most one, if less than a turn
        believed = [turns] if last is not None and turns in _within(servo, MOVED) else []
        found = next(
            (some for some in ([] if doubt else believed, fitting, believed) if len(some) == 1), None
        )
        if found is fitting:
            doubt = ""
        if found is not None:
            turns = found[0]
        elif _is_absolute(servo):
            turns = 0
        else:
            servo.lost_turn = _lost_turn(servo, len(fitting))
    if doubt:
        servo.note = f"turns may be lost: {doubt}"
    _add(servo, turns)


def _add(servo: Servo, turns: int) -> None:
    if turns:
        known, before = servo.scale.calibration, servo.position
        servo.scale.calibrate(Calibration(known.shift, known.turns + turns))
        servo.goals.start(servo.goals.goal + servo.position - before)  # a driven horn stays where it is


def _is_limited(servo: Servo) -> bool:
    return isfinite(servo.config.upper - servo.config.lower)


def _is_absolute(servo: Servo) -> bool:
    """Return whether the servo's own turn tells the angle of its joint, which turns as it does."""
    return (servo.mode == "position" or servo.table.protocol == 1) and abs(servo.config.reduction) == 1.0


def _within(servo: Servo, margin: float) -> range:
    """Return the turns to add with which the joint is within its range, or beyond it by at most ``margin`` turns."""
    turn = servo.scale.ticks_per_turn
    ends = (servo.scale.ticks(end) - servo.ticks for end in (servo.config.lower, servo.config.upper))
    first, last = sorted(min(max(end / turn, -MOST_TURNS), MOST_TURNS) for end in ends)
    return range(ceil(first - margin), floor(last + margin) + 1)


def _lost_turn(servo: Servo, fitting: int) -> str:
    config = servo.config
    limits = f"its range {config.lower:g}..{config.upper:g} rad"
    if fitting:
        return (
            f"may be in any of {fitting} turns of its servo, all within {limits}: limp until it is calibrated"
        )
    return (
        f"is at {servo.position:.2f} rad, outside {limits}, and is so in every other turn of its servo: limp; move it "
        "there by hand and ask for torque, or calibrate it"
    )
