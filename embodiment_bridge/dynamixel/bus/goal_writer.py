# SPDX-License-Identifier: Apache-2.0
"""Turns joint targets into goal packets, once per cycle."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple

from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.goals import GoalFilter
from embodiment_bridge.dynamixel.bus.joints import GOAL_ITEMS, OLD_SIGN
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.config.servo_config import POSITION_MODES


class Target(NamedTuple):
    """The target of one joint: rad, rad/s, Nm; nan where not given. The mode of the servo decides which is used."""

    position: float = nan
    velocity: float = nan
    effort: float = nan


NO_TARGET = Target()


class _Prepared(NamedTuple):
    """Goals of a cycle to come; ``goals`` are those of the servos before and with it, rad."""

    state: list[tuple[int, str, int]]
    packets: bytes
    goals: list[tuple[GoalFilter, float, float]]


class GoalWriter:
    """Writes goals with one sync write for each kind of goal; they are sent together with the next question."""

    def __init__(self, client: BusClient) -> None:
        self._client = client
        self._ready: _Prepared | None = None

    def write(
        self, servos: Sequence[Servo], targets: Mapping[str, Target], dt: float, *, fresh: bool, same: bool
    ) -> None:
        """Write the goals of all ``servos`` (driven ones), ``dt`` s after the last ones.

        fresh: whether the targets are recent; with old ones the joints hold.

        same: the servos are known to be the same, in the same state, as when ``prepare`` was called.
        """
        ready, self._ready = self._ready, None
        if ready is not None and (same or ready.state == _state(servos)):
            self._client.hold(ready.packets)
        else:
            self._client.hold(self._packets(servos, targets, dt, fresh=fresh))

    def prepare(
        self, servos: Sequence[Servo], targets: Mapping[str, Target], dt: float, *, fresh: bool
    ) -> None:
        """Compute what the next ``write`` sends, if the servos do not change until then."""
        before = [(servo.goals, servo.goals.goal) for servo in servos]
        packets = self._packets(servos, targets, dt, fresh=fresh)
        self._ready = _Prepared(_state(servos), packets, [(goals, old, goals.goal) for goals, old in before])

    def forget(self) -> None:
        """Drop the prepared goals; those that were sent last are the goals again, except of a servo that began anew."""
        if self._ready is None:
            return
        for goals, old, prepared in self._ready.goals:
            if goals.goal == prepared:
                goals.goal = old
        self._ready = None

    def _packets(
        self, servos: Sequence[Servo], targets: Mapping[str, Target], dt: float, *, fresh: bool
    ) -> bytes:
        groups: dict[tuple[int, int], dict[int, bytes]] = {}
        for servo in servos:
            config = servo.config
            target = targets.get(config.joint, NO_TARGET)
            fit = not servo.held and not servo.lost_turn  # that one was left driven as it was found
            name, value = goal_of(servo, target, dt, fresh=fresh and fit)
            item = servo.table.items[name]
            place = item.address, item.size
            data = value.to_bytes(item.size, "little", signed=item.signed)
            if place in groups:
                groups[place][config.id] = data
            else:
                groups[place] = {config.id: data}
        return b"".join(
            [self._client.sync_write_packets(address, size, data) for (address, size), data in groups.items()]
        )


def _state(servos: Sequence[Servo]) -> list[tuple[int, str, int]]:
    return [(servo.config.id, servo.mode, servo.starts) for servo in servos]


def goal_of(servo: Servo, target: Target, dt: float, *, fresh: bool) -> tuple[str, int]:
    """The register, by name, and its value that bring the joint to its target."""
    mode, scale, limits, goals = servo.mode, servo.scale, servo.limits, servo.goals
    if mode in POSITION_MODES:
        ticks = scale.ticks(goals.position(target.position, dt, fresh=fresh))
        if mode == "position":  # not by min and max, which take longer than all else here
            if ticks < limits.lowest:
                ticks = limits.lowest
            elif ticks > limits.highest:
                ticks = limits.highest
        return "goal_position", ticks
    fresh = fresh and not servo.misses  # a motor that would run on is not driven blindly
    old = servo.table.protocol == 1
    if mode == "velocity":
        raw = scale.raw_velocity(goals.velocity(target.velocity, servo.position, dt, fresh=fresh))
        raw = min(max(raw, -limits.velocity), limits.velocity)
        return ("moving_speed", _old_speed(raw)) if old else ("goal_velocity", raw)
    speed = scale.velocity(servo.speed)
    if mode == "current":
        raw = scale.raw_current(goals.effort(target.effort, servo.position, speed, dt, fresh=fresh))
        return "goal_current", min(max(raw, -limits.current), limits.current)
    share = goals.share_of_full(target.effort, servo.position, speed, dt, fresh=fresh)
    reverse = -1 if servo.config.reduction < 0.0 else 1
    return GOAL_ITEMS[mode], round(reverse * share * limits.pwm)


def _old_speed(raw: int) -> int:
    # In joint mode 0 would be full speed for an AX, but in wheel mode it stands still.
    return -raw | OLD_SIGN if raw < 0 else raw
