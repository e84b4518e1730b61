# SPDX-License-Identifier: Apache-2.0
"""The targets of all joints within range and speed.

Claims arbitrate the channels, and channels that are not driven come to rest.
"""

from collections.abc import Collection, Iterable, Sequence
from math import inf, isfinite, isinf

from embodiment_bridge.body.description import BodyDescription, Joint
from embodiment_bridge.motion.joints.keyframes import Motion, piece_to
from embodiment_bridge.motion.joints.move import Brake, Move, Stop


class ChannelArbiter:
    """Remembers which claim holds which channel."""

    def __init__(self) -> None:
        self._holder: dict[str, str] = {}

    def claim(self, claim: str, channels: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Give ``channels`` to ``claim``.

        Returns:
            The claims that lost, each with all channels that it held; it holds none now.
        """
        wanted = tuple(channels)
        losers = {holder for channel, holder in self._holder.items() if channel in wanted and holder != claim}
        lost = {loser: self.release(loser) for loser in sorted(losers)}
        self._holder.update(dict.fromkeys(wanted, claim))
        return lost

    def release(self, claim: str) -> tuple[str, ...]:
        """Free the channels of ``claim``; return them in the order in which they were claimed."""
        held = self.held(claim)
        for channel in held:
            del self._holder[channel]
        return held

    def held(self, claim: str) -> tuple[str, ...]:
        """Return the channels that ``claim`` holds."""
        return tuple(channel for channel, holder in self._holder.items() if holder == claim)

    def holder(self, channel: str) -> str | None:
        """Return the claim that holds ``channel``, or None."""
        return self._holder.get(channel)


# Limits joint commands to range and speed of the joints, starting from their real angles.

ARRIVED = 1e-6  # rad from the target within which a joint has arrived
SLOW = 0.1  # rad/s at which it comes there at most: the last step of a motion that ends at rest


class JointLimiter:
    """Follows targets within range and speed of the joints.

    position, velocity: last commands, rad and rad/s, in the order of the joints. Change them only
    through ``reset`` and ``step``.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._bounds = tuple((j.lower, j.upper, j.velocity) for j in joints)
        self.position = [min(max(j.rest, j.lower), j.upper) for j in joints]
        self.velocity = [0.0] * len(self.position)

    def reset(self, position: Sequence[float], joints: Iterable[int] | None = None) -> None:
        """Start again from ``position`` (rad; clamped to the range), at rest; with ``joints`` only these."""
        for i in range(len(self._bounds)) if joints is None else joints:
            lower, upper, _ = self._bounds[i]
            if isfinite(position[i]):
                self.position[i] = min(max(position[i], lower), upper)
            self.velocity[i] = 0.0

    def step(self, targets: Sequence[float], dt: float) -> None:
        """Move towards ``targets`` (rad) for ``dt`` s.

        With a target that is not finite the joint stays where it is.
        """
        if dt <= 0.0:
            return
        position, velocity = self.position, self.velocity
        for i, (lower, upper, fastest) in enumerate(self._bounds):
            here, target = position[i], targets[i]
            if target == here:
                velocity[i] = 0.0
                continue
            if not isfinite(target):
                velocity[i] = 0.0
                continue
            reach = fastest * dt
            there = min(max(min(max(target, lower), upper), here - reach), here + reach)
            position[i] = there
            velocity[i] = (there - here) / dt

    def arrived(self, targets: Sequence[float], joints: Iterable[int]) -> bool:
        """Return whether the command of each of ``joints`` is at its target, clamped to its range, and at rest."""
        for i in joints:
            lower, upper, _ = self._bounds[i]
            off = abs(min(max(targets[i], lower), upper) - self.position[i])
            if off > ARRIVED or abs(self.velocity[i]) > SLOW:
                return False
        return True

    def at_rest(self, joints: Iterable[int]) -> bool:
        """Return whether none of ``joints`` moves."""
        return not any(self.velocity[i] for i in joints)


REST_S = 1.0  # s, at least, for a move to the rest pose without a given time


class Posture:
    """Holds the targets and commands of the joints.

    goal: rad per joint, written by the motions; limiter: gives the commands.
    """

    def __init__(self, description: BodyDescription) -> None:
        self._joints = description.joints
        self.limiter = JointLimiter(description.joints)
        self.goal = list(self.limiter.position)
        self._idle: dict[str, Move] = {}
        self._limp: Collection[int] = ()
        self._moves: dict[int, Move] = {}  # the move that wrote the goal of a joint
        # joints that something moves beside their goals: gait, swing, idle motions
        self._swayed: set[int] = set()
        self._channels: dict[str, tuple[int, ...]] = {
            channel: tuple(i for i, joint in enumerate(description.joints) if joint.channel == channel)
            for channel in description.channels
        }

    def start_from(self, position: Sequence[float]) -> None:
        """Begin anew with all joints at ``position`` (rad) and at rest: no motion is under way."""
        self.limiter.reset(position)
        self.goal[:] = self.limiter.position
        self._idle.clear()
        self._moves.clear()

    def found(self, joints: Sequence[int], position: Sequence[float]) -> None:
        """Restart only ``joints``, which are now known to be at ``position`` (rad, of all joints)."""
        self.limiter.reset(position, joints)
        for i in joints:
            self.goal[i] = self.limiter.position[i]
        self.take(joints)  # a way to a stop that began earlier leads to where they were thought to be

    def let_go(self, limp: Collection[int], position: Sequence[float]) -> None:
        """Note that ``limp`` joints follow nothing: driven again, they begin at ``position`` (rad, of all joints)."""
        self._limp = limp
        if limp:
            self.found(tuple(limp), position)

    def arrived(self, joints: Iterable[int]) -> bool:
        """Return whether those of ``joints`` that are not limp are told to be at their goals, at rest."""
        return self.limiter.arrived(self.goal, [joint for joint in joints if joint not in self._limp])

    def at_rest(self, joints: Iterable[int]) -> bool:
        """Return whether none of ``joints`` is told to move, but limp ones."""
        return self.limiter.at_rest(joint for joint in joints if joint not in self._limp)

    def release(self, channels: Iterable[str]) -> None:
        """Note that ``channels`` are no longer driven: their joints come to rest where they are."""
        for channel in channels:
            joints, idle = self._channels.get(channel, ()), self._idle.get(channel)
            under_way = idle.joints if idle is not None else ()
            if any(self.limiter.velocity[i] and i not in under_way for i in joints):
                self._idle[channel] = self.stop_motion(joints)

    def stop(self) -> None:
        """Bring the joints that are not driven to rest where they are; a stop under way does not begin anew."""
        for channel, motion in self._idle.items():
            if not isinstance(motion, Stop):
                self._idle[channel] = self.stop_motion(motion.joints)

    def take(self, joints: Iterable[int]) -> None:
        """Note that ``joints`` are driven from now on; those beside them that are on a way go on.

        Wheels beside them stay where a base has rolled them, which no goal tells.
        """
        taken = set(joints)
        for joint in taken:
            self._moves.pop(joint, None)
        for channel in {self._joints[i].channel for i in taken}:
            for i in self._channels[channel]:
                if i not in taken and isinf(self._joints[i].upper):
                    self.goal[i] = self.limiter.position[i]
            if (idle := self._idle.get(channel)) is not None:
                idle.drop(taken)
                if not idle.joints:
                    del self._idle[channel]

    def go_to_rest_pose(self) -> None:
        """Bring all joints to the rest pose slowly."""
        for channel, joints in self._channels.items():
            if joints:
                self._idle[channel] = self.rest_motion(joints, REST_S)

    def drive(self, move: Move) -> None:
        """Set the goals of the joints of a move."""
        move.write(self.goal)
        self._moves.update(dict.fromkeys(move.joints, move))

    def brake(self, joints: Iterable[int]) -> Brake:
        """Return the brake that brings the joints to rest from now on, not beyond their goals."""
        position, velocity = self.limiter.position, self.limiter.velocity
        numbers = tuple(joints)
        return Brake(
            self._joints,
            {i: position[i] for i in numbers},
            {i: velocity[i] for i in numbers},
            {i: self._room(i) for i in numbers},
        )

    def _room(self, joint: int) -> float:
        """Return how far a joint may go on in the direction in which it moves, rad."""
        if joint in self._swayed:
            return inf
        here, move = self.limiter.position[joint], self._moves.get(joint)
        low, high = move.span(joint) if move is not None else (self.goal[joint],) * 2
        return max(high - here if self.limiter.velocity[joint] > 0.0 else here - low, 0.0)

    def stop_motion(self, joints: tuple[int, ...]) -> Stop:
        """Return a motion from now to a stop."""
        return Stop(self.brake(joints))

    def rest_motion(self, joints: tuple[int, ...], at_least: float) -> Move:
        """Return a motion from now to the rest pose that takes ``at_least`` s."""
        brake, moved = self.brake(joints), [self._joints[i] for i in joints]
        start, goals = [brake.rest[i] for i in joints], tuple(joint.rest for joint in moved)
        return Move(brake, Motion(joints, start, [piece_to(goals, moved, start, at_least)]))

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass for the joints that are not driven."""
        for channel, move in tuple(self._idle.items()):
            move.advance(dt)
            self.drive(move)
            if move.done:
                del self._idle[channel]

    def follow(self, targets: Sequence[float], dt: float) -> None:
        """Let the joints follow ``targets`` for ``dt`` s: the goals, and what is added to them."""
        self._swayed = {i for i, (a, b) in enumerate(zip(targets, self.goal, strict=True)) if a != b}
        self.limiter.step(targets, dt)
