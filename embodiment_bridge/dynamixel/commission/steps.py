# SPDX-License-Identifier: Apache-2.0
"""The steps of the checklist, with that in which a driver is killed.

Each returns what was measured, in words, or raises ``StepError``.
"""

import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import copysign, degrees, radians
from typing import Final

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.dynamixel.bus.servo import modes_of
from embodiment_bridge.dynamixel.commission.subject import VELOCITY_MODE, Subject, Watch
from embodiment_bridge.dynamixel.wire.instructions import HardwareError

# The step in which a driver is killed: the driver of this package, in a process of its own.

START_S: Final = 30.0  # until the driver drives; the computer may be slow
LET_GO_S: Final = 10.0  # after the kill, until the torque must be off; a busy computer delays the guardian
DRIVES: Final = b"drives\n"


def killed_driver(subject: Subject) -> float | None:
    """Start a driver on the servo, kill it as nothing else does, and return the seconds until the torque is off.

    The port must be closed. None: the torque stayed on.

    Raises:
        LinkError: the driver did not drive, or the servo does not answer afterwards.
    """
    found = subject.found
    program = [sys.executable, "-m", "embodiment_bridge.dynamixel.commission.driven"]
    turns = "velocity" in modes_of(subject.table) and found.protocol == 2  # where it is no change of limits
    mode = "velocity" if turns else "position"
    words = [subject.port, str(subject.baud), str(found.id), subject.table.name, mode]
    pipe = subprocess.PIPE
    with subprocess.Popen([*program, *words], stdin=pipe, stdout=pipe, stderr=pipe) as driver:
        try:
            _wait_until_it_drives(driver)
        finally:
            driver.kill()
    return _seconds_until_limp(subject)


def _wait_until_it_drives(driver: "subprocess.Popen[bytes]") -> None:
    if driver.stdout is None or driver.stderr is None:
        raise LinkError("the driver has no output")
    ready, _, _ = select.select([driver.stdout], [], [], START_S)
    line = driver.stdout.readline() if ready else b""
    if line != DRIVES:
        driver.kill()
        said = driver.stderr.read().decode(errors="replace").strip().splitlines()
        raise LinkError(
            f"the driver did not drive it: {said[-1] if said else f'nothing within {START_S:.0f} s'}"
        )


def _seconds_until_limp(subject: Subject) -> float | None:
    answered = False
    for elapsed in Watch(LET_GO_S):
        with suppress(LinkError):  # the guardian holds the port for a moment
            torque = subject.read("torque_enable")
            answered = True
            if not torque:
                return elapsed
    if not answered:
        raise LinkError("it does not answer after its driver was killed")
    return None


STILL: Final = radians(1.5)  # a servo that is not to move may be this far away
ASTRAY: Final = radians(4.0)  # further from its goal than at the start of a move: it goes the wrong way
SPEED: Final = radians(15.0)  # rad/s of every move
LOOKS: Final = 5  # in a row at the goal, so that it has arrived
HOLD_S, LIMP_S = 1.0, 0.5
WATCHDOG_UNITS, WATCHDOG_MOST, WATCHDOG_S, FIRED = 5, 127, 0.1, -1
# s without an answer that count as a pulled cable; with answers, as one that is back
AWAY_S, BACK_S = (0.5, 1.0)


class StepError(Exception):
    """Reports a step that did not pass; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """Holds choices of the operator.

    Move: rad; force: share; patience_s: s to wait for a hand. tell: prints a request.
    """

    move: float
    force: float
    patience_s: float
    tell: Callable[[str], None]


def state(subject: Subject, options: Options) -> str:
    """Check that supply, heat, errors and torque are as they must be before anything moves.

    The causes come before the error that they raise: restarting a servo without voltage does not help.
    """
    volts = subject.value("present_input_voltage")
    lowest, highest = subject.value("min_voltage_limit"), subject.value("max_voltage_limit")
    if not lowest <= volts <= highest:
        raise StepError(f"{volts:.1f} V is not within its limits, {lowest:.1f} to {highest:.1f} V")
    heat = subject.value("present_temperature", "present_inverter_temperature")
    hottest = subject.value("temperature_limit", "inverter_temperature_limit")
    if heat >= hottest - 10.0:
        raise StepError(f"{heat:.0f} degrees is near its limit of {hottest:.0f}: let it cool")
    errors = subject.errors()
    if errors:
        names = ", ".join(str(bit.name).lower() for bit in HardwareError if errors & bit)
        raise StepError(
            f"it reports a hardware error: {names or hex(errors)}; restart it with 'servos PORT reboot'"
        )
    if subject.read("torque_enable"):
        raise StepError(
            "its torque is on: what it holds would fall; switch it off by hand (register torque_enable)"
        )
    lower, upper = subject.range()
    if upper - lower < 2 * options.move:
        raise StepError(f"its position limits leave {degrees(upper - lower):.0f} degrees: widen them")
    if not lower <= subject.angle <= upper:
        raise StepError(
            f"it is at {degrees(subject.angle):.0f} degrees, outside its position limits: turn it by hand"
        )
    return f"{volts:.1f} V, {heat:.0f} degrees C, at {degrees(subject.angle):.1f} degrees"


def hold(subject: Subject, options: Options) -> str:
    """Check that nothing moves when torque comes on."""
    limited = subject.make_gentle(options.force, SPEED)
    start = subject.torque_on_here()
    worst = most = 0.0
    for _ in Watch(HOLD_S):
        worst = max(worst, abs(subject.angle - start))
        most = max(most, subject.load())
        if worst > STILL:
            subject.torque_off()
            raise StepError(f"it moved by {degrees(worst):.1f} degrees when the torque came on")
    if not subject.read("torque_enable"):
        raise StepError("its torque did not come on, or went off by itself")
    return f"{limited}; moved by {degrees(worst):.2f} degrees, at most {_load(subject, most)}"


def move(subject: Subject, options: Options) -> str:
    """Move the horn a little, slowly, and back."""
    start = subject.angle
    away = start + _way(subject, options)
    first, most = _go(subject, away)
    second, other = _go(subject, start)
    return (
        f"{degrees(away - start):+.0f} degrees in {first:.1f} s and back in {second:.1f} s, "
        f"at most {_load(subject, max(most, other))}"
    )


def _way(subject: Subject, options: Options) -> float:
    """Return the move, rad, into the direction with more room."""
    lower, upper = subject.range()
    here = subject.angle
    return options.move if upper - here >= here - lower else -options.move


def _go(subject: Subject, goal: float) -> tuple[float, float]:
    """Return the seconds until the goal (rad) is reached, and the greatest load."""
    start = subject.angle
    subject.write("goal_position", subject.ticks(goal))
    most, there = 0.0, 0
    for elapsed in Watch(3.0 * abs(goal - start) / SPEED + 2.0):
        here = subject.angle
        most = max(most, subject.load())
        if abs(goal - here) > abs(goal - start) + ASTRAY:
            subject.torque_off()
            raise StepError("it moved away from its goal; its torque was switched off")
        there = there + 1 if abs(goal - here) < STILL else 0
        if there == LOOKS:
            return elapsed, most
    left = degrees(abs(goal - subject.angle))
    subject.torque_off()
    raise StepError(
        f"it stayed {left:.1f} degrees away from its goal: is it blocked, or is --force too small?"
    )


def limits(subject: Subject, options: Options) -> str:
    """Check that a goal outside the position limits is refused."""
    _, upper = subject.range()
    goal = subject.table.item("goal_position")
    beyond = subject.ticks(upper) + 1
    if beyond > goal.upper:
        return "not applicable: its limits are the ends of its range"
    before = subject.read("goal_position")
    try:
        subject.write("goal_position", beyond)
    except CommandError as error:
        if subject.read("goal_position") != before:
            raise StepError("it refused a goal outside its limits, and took it all the same") from error
        return f"count {beyond} refused ({error})"
    subject.torque_off()
    raise StepError(
        f"it took count {beyond} as a goal, outside its position limits; its torque was switched off"
    )


def stop(subject: Subject, options: Options) -> str:
    """Check that torque off in the middle of a move ends it."""
    start = subject.torque_on_here()
    way = _way(subject, options)
    subject.write("goal_position", subject.ticks(start + way))
    for _ in Watch(2.0 * abs(way) / SPEED + 2.0, 0.005):
        if abs(subject.angle - start) > abs(way) / 2:
            break
    else:
        subject.torque_off()
        raise StepError("it did not get halfway, so that there was nothing to stop")
    watch = Watch(LIMP_S)
    subject.torque_off()
    took, there = watch.elapsed, subject.angle
    for _ in watch:
        if subject.read("torque_enable"):
            raise StepError("its torque is still on after it was switched off")
    coasted = abs(subject.angle - there)
    if coasted > abs(way) / 4:
        raise StepError(f"it went on for {degrees(coasted):.1f} degrees without torque: something moves it")
    return f"torque off confirmed after {1000 * took:.0f} ms, went on for {degrees(coasted):.2f} degrees"


def watchdog(subject: Subject, options: Options) -> str:
    """Check that the servo's watchdog notices a silent bus, and that the turning horn then stands still."""
    if not subject.has("bus_watchdog") or VELOCITY_MODE not in subject.table.modes:
        return "not applicable: this model has none, or no velocity mode"
    subject.make_gentle(options.force, SPEED, VELOCITY_MODE)
    way = copysign(SPEED, _way(subject, options))
    subject.write("goal_velocity", 0)
    start = subject.torque_on_here()
    subject.write("bus_watchdog", WATCHDOG_MOST)
    subject.write("goal_velocity", round(way / subject.table.item("goal_velocity").factor))
    for _ in Watch(4.0 * STILL / SPEED + 2.0):
        if abs(subject.angle - start) > STILL:
            break
    else:
        subject.torque_off()
        raise StepError("it did not turn in velocity mode: is it blocked, or is --force too small?")
    subject.write("bus_watchdog", WATCHDOG_UNITS)
    for _ in Watch(4 * WATCHDOG_S, 4 * WATCHDOG_S, least=1):
        pass  # not a word on the bus
    found = subject.read("bus_watchdog")
    moved = _moved(subject)
    subject.torque_off()
    subject.make_gentle(options.force, SPEED)
    if found != FIRED:
        raise StepError(
            f"after {4 * WATCHDOG_S:.1f} s of silence it has not fired (bus_watchdog reads {found})"
        )
    if moved > STILL:
        raise StepError(
            f"it has fired, and the horn went on by {degrees(moved):.1f} degrees: velocity, current and pwm mode "
            "are not for this servo, but velocity for a wheel that may do so"
        )
    return f"set to {WATCHDOG_S:.1f} s, fired, and the horn stood still"


def _moved(subject: Subject) -> float:
    """Return the distance that the horn goes within ``LIMP_S``, rad."""
    start = subject.angle
    return max(abs(subject.angle - start) for _ in Watch(LIMP_S))


def cable(subject: Subject, options: Options) -> str:
    """Check that a pulled cable is noticed, and that the servo is found again, limp."""
    subject.torque_off()
    before = subject.angle
    options.tell("pull the cable of the servo (or of the adapter), wait two seconds, and plug it in again")
    away = _until(subject, answers=False, steady_s=AWAY_S, patience_s=options.patience_s)
    if away is None:
        raise StepError(f"no break was seen within {options.patience_s:.0f} s: it answered all the time")
    options.tell("it is gone; plug it in again")
    back = _until(subject, answers=True, steady_s=BACK_S, patience_s=options.patience_s)
    if back is None:
        raise StepError(f"it did not come back within {options.patience_s:.0f} s")
    if subject.read("torque_enable"):
        raise StepError("it came back with its torque on")
    subject.make_gentle(options.force, SPEED)
    moved = degrees(abs(subject.angle - before))
    return f"away for {back:.1f} s, came back limp, {moved:.1f} degrees from where it was"


def _until(subject: Subject, *, answers: bool, steady_s: float, patience_s: float) -> float | None:
    """Return the seconds until the servo answers, or does not, for ``steady_s`` on end; None if it never does."""
    since = None
    for elapsed in Watch(patience_s + steady_s, 0.05):
        if subject.answers() != answers:
            since = None
        elif since is None:
            since = elapsed
        elif elapsed - since >= steady_s:
            return since
    return None


def kill(subject: Subject, options: Options) -> str:
    """Check that a driver killed while the horn turns leaves the servo limp, and that the horn stands still."""
    subject.make_gentle(options.force, SPEED)  # which notes the registers that the driver changes
    subject.close()
    try:
        took = killed_driver(subject)
    except LinkError as error:
        raise StepError(str(error)) from error
    if took is None:
        subject.torque_off()
        raise StepError(f"its torque was still on {LET_GO_S:g} s after its driver was killed")
    moved = _moved(subject)
    if moved > STILL:
        raise StepError(f"its torque is off, and the horn went on by {degrees(moved):.1f} degrees")
    return (
        f"torque off {1000 * took:.0f} ms after the driver was killed, by its guardian; the horn stood still"
    )


def _load(subject: Subject, load: float) -> str:
    return f"{load:.2f} A" if subject.table.has_current else f"{load:.0%} of its torque"


STEPS: Final[tuple[tuple[str, Callable[[Subject, Options], str]], ...]] = (
    ("state", state),
    ("hold", hold),
    ("move", move),
    ("limits", limits),
    ("stop", stop),
    ("watchdog", watchdog),
    ("cable", cable),
    ("kill", kill),
)
