# SPDX-License-Identifier: Apache-2.0
"""Goes behind a ball, stands right, and kicks it: the walk ``kick`` of a body file."""

from collections.abc import Callable
from dataclasses import replace
from math import atan2, cos, hypot, inf, pi, sin

from embodiment_bridge.body.description import Skill, WalkLimits
from embodiment_bridge.body.kick_section import BallKick
from embodiment_bridge.body.surroundings import Thing, Things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand, within
from embodiment_bridge.motion.walking.steering import Steering, others_of, past_others, way_round
from embodiment_bridge.motion.walking.targets import BALL, Ball, Spot, Target, Values, named, target_of
from embodiment_bridge.motion.walking.walk_program import Pose, Program, Walk, way

ROUND_M = 0.5  # kept from the middle of the ball on the way behind it
BRAKE_S = 0.9  # slower than a walk elsewhere: who overshoots the place steps on the ball
NEAR_M = 1.0  # from its place: goes there facing the kick, so that no shoulder or heel touches the ball
SLOW_M = 1.2  # from its place: no faster than this from here on, whatever walks
# Speeds of a gait, m/s and rad/s, and m in which it brakes.
SLOW = {"forward": 0.62, "backward": 0.35, "left": 0.27, "turn": 1.25, "brake": NEAR_M}
BACK_M = 0.1  # behind the place of the kick the body gets right first, where it cannot touch the ball
RIGHT_M, RIGHT_SIDE_M, RIGHT_RAD = 0.04, 0.015, 0.05  # errors of the stance with which it goes up to the ball
WRONG_M, WRONG_SIDE_M, WRONG_RAD = -0.03, 0.04, 0.15  # errors at the ball with which it goes back
ROUGH = 2.0  # so many times as wide are these six where the direction need not be exact
STEADY_S = 0.2  # s for which it must be right
LAXER_S = 8.0  # s at the ball after which twice of that will do
AT_BALL_M = 0.3  # from its place: at the ball
STAY_FOOT_M = 0.1  # less beside the ball it keeps the foot: coming straight it would change it all the time
CHANGE_M = 0.4  # nearer to its place than this the body does not choose the other foot
UP_SPEED = 0.3  # share of full speed
UP_GAIN = 5.0  # share of full speed per m
SIDE_GAIN, TURN_GAIN = 5.0, 2.0  # share of full speed per m, per rad
SWING_M = 0.03  # before its place: the next step of the foot may be the kick
# Strength below which the foot reaches less far, so that the body goes nearer: to this share of SWING_M at least.
SOFT, LEAST_NEAR = 0.4, 0.2
STRAYED_M = 0.15  # from its place a body that stands to kick does not: the ball has moved meanwhile
RUN_M = 0.5  # m that a body runs that knows of no ball, into the ball if there is one
LONGEST_RUN_M = 1.0
IN_WAY_M = 2.5  # from the ball: others who stand there are in the way of it
FREE_M, STAY_FREE_M = 0.45, 0.3  # beside the way of the ball that must be free, to choose it and to keep it
KEEP_M = 0.8  # nearer to the ball it keeps the direction: it would walk round the ball to and fro
FREE_REACHES = 2.5  # kicks from the place: from there on any direction will do that may be chosen
LEAST_REACH_M = 0.1  # m, of the hardest kick; a body file may say 0
MISS_M = 1.0  # beside the place to kick to that will do, where something beside the straight way will do
TURNS = (0.0, 0.25, -0.25, 0.5, -0.5, 0.75, -0.75)  # rad beside the straight way that are tried
AFTER_S = 1.0  # s of stepping on the spot from the begin of the kick
SPEED_SHARE = 0.25  # share of full speed, for the time limit
EXTRA_PATIENCE_S = 30.0

Aim = Callable[[Pose, Thing], float]
"""The direction (rad in map) in which the ball is to roll."""


class KickBall(Program):
    """Walks behind the ball, steps until it stands right for one foot, kicks, and steps on for a moment.

    distance: m that the ball is to roll; None: as far as it can. rough: soon rather than exact.
    """

    def __init__(
        self,
        limits: WalkLimits,
        kick: BallKick,
        ball: Ball,
        aim: Aim,
        distance: float | None,
        *,
        rough: bool = False,
    ) -> None:
        super().__init__(limits, EXTRA_PATIENCE_S)
        self._slow = replace(
            limits, **{name: min(getattr(limits, name), most) for name, most in SLOW.items()}
        )
        self._kick, self._ball, self._aim = kick, ball, aim
        self._wanted_m = distance if distance is not None else inf
        self._strength = kick.strength(self._wanted_m)
        self._slack = ROUGH if rough else 1.0
        self._steering = Steering(self._slow, NEAR_M, BRAKE_S)
        self._up = False
        self._left_foot: bool | None = None
        self._distance = 0.0
        self._steady_s = self._at_ball_s = 0.0
        self._ask: Kick | None = None
        self._kicks = 0
        self._after_s = 0.0
        self._walker: Pace | None = None

    @property
    def struck(self) -> bool:
        """Whether the kick has begun, also where that was during a hold."""
        return self._walker is not None and self._walker.kicks > self._kicks

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        here = self._steering.filtered(pose, dt)
        if self._walker is None:
            self._walker, self._kicks = walker, walker.kicks
        if self.struck:
            return self._kicked(walker, dt)
        if walker.kicking:  # the kick of a program before this one
            return STAND
        ball = self._ball.watch(here, dt)
        if ball is None:
            self.failure = self._ball.lost
            return STAND
        goal = self._stance(here, ball)
        away = hypot(goal.x - here.x, goal.y - here.y)
        if self._ask is not None and walker.stands_to_kick:
            if away < STRAYED_M:
                return WalkCommand(True, kick=self._ask)
            self._ask, self._up = None, False
        if not self._distance:
            self._distance = max(away, 0.05)
            self.patience += away / (SPEED_SHARE * self._limits.forward) + 4 * pi / self._limits.turn
        self.progress = max(self.progress, min(0.8 * (1.0 - away / self._distance), 0.8))
        self._at_ball_s += dt if away < AT_BALL_M else 0.0
        ahead, aside = way(here, goal, goal.yaw)
        turned = wrap_angle(goal.yaw - here.yaw)
        self._choose(ahead, aside, turned, dt)
        if self._up:
            return self._slowly(self._go_up(ahead, aside, turned))
        x, y, _ = ball.position
        goal = Pose(goal.x - BACK_M * cos(goal.yaw), goal.y - BACK_M * sin(goal.yaw), goal.yaw)
        way_there = past_others(self._ball.things, way_round(x, y, ROUND_M))
        command = self._steering.command(goal, way_there(here, goal), dt)
        return self._slowly(command) if away < SLOW_M else command

    def _slowly(self, command: WalkCommand) -> WalkCommand:
        """Return a command in shares of slow speeds as one in shares of the full ones."""
        slow, full = self._slow, self._limits
        ahead = slow.forward / full.forward if command.forward > 0.0 else slow.backward / full.backward
        left = slow.left / full.left if full.left else 0.0
        turn = command.turn * slow.turn / full.turn
        return replace(command, forward=ahead * command.forward, left=left * command.left, turn=turn)

    def _choose(self, ahead: float, aside: float, turned: float, dt: float) -> None:
        """Go up to the ball, or behind it: the place of the kick is ``ahead`` and ``aside`` (m), ``turned`` rad."""
        slack = self._slack
        lax = slack * (1.0 + min(self._at_ball_s / LAXER_S, 1.0))
        right = 0.0 < ahead < BACK_M + lax * RIGHT_M and abs(aside) < lax * RIGHT_SIDE_M
        self._steady_s = self._steady_s + dt if right and abs(turned) < lax * RIGHT_RAD else 0.0
        wrong = (
            ahead < slack * WRONG_M or abs(aside) > slack * WRONG_SIDE_M or abs(turned) > slack * WRONG_RAD
        )
        self._up = self._steady_s >= STEADY_S or (self._up and not wrong and ahead < 2.0 * BACK_M)

    def _go_up(self, ahead: float, aside: float, turned: float) -> WalkCommand:
        """Return a slow walk to the place of the kick; there the next step of the foot is the kick."""
        forward = min(max(UP_GAIN * ahead, 0.0), UP_SPEED)
        left = within(SIDE_GAIN * aside, UP_SPEED) if self._limits.left else 0.0
        strength = self._kick.strength(self._wanted_m, ahead)
        near = SWING_M * min(max(self._strength / SOFT, LEAST_NEAR), 1.0)
        kick = Kick(bool(self._left_foot), strength) if ahead < near else None
        self._ask = kick or self._ask
        return WalkCommand(True, forward, within(TURN_GAIN * turned, UP_SPEED), left, kick)

    def _stance(self, here: Pose, ball: Thing) -> Pose:
        """Return where the hips must be for the kick, with the nearer foot."""
        x, y, _ = ball.position
        yaw = self._aim(here, ball)
        c, s = cos(yaw), sin(yaw)
        # How far the ball lies to the left of a body that looks along the kick, m.
        beside = c * (y - here.y) - s * (x - here.x)
        near = hypot(x - here.x, y - here.y) < CHANGE_M + self._kick.ahead
        if self._left_foot is None or (not near and abs(beside) > STAY_FOOT_M):
            self._left_foot = beside > 0.0
        side = 1.0 if self._left_foot else -1.0
        aside, yaw = side * self._kick.aside, yaw - side * self._kick.drift(self._strength)
        c, s = cos(yaw), sin(yaw)
        return Pose(x - self._kick.ahead * c + aside * s, y - self._kick.ahead * s - aside * c, yaw)

    def _kicked(self, walker: Pace, dt: float) -> WalkCommand:
        self.progress, self._after_s = 0.9, self._after_s + dt
        if walker.kicking or self._after_s < AFTER_S:
            return WalkCommand(True)
        return self._finish()


class Ahead:
    """Represents a direction relative to the heading that the body has at first, rad, + left."""

    def __init__(self, direction: float) -> None:
        self._direction = direction
        self._yaw: float | None = None

    def __call__(self, here: Pose, ball: Thing) -> float:
        """Return the direction, rad in map."""
        if self._yaw is None:
            self._yaw = here.yaw + self._direction
        return self._yaw


class Towards:
    """Represents the direction from the ball to a place, or past other bodies that stand in that way.

    beside: rad beside the straight way that will do where that is sooner, from ``FREE_REACHES`` times ``reach`` (m)
        on; nearer less, and within ``reach`` so little that the ball comes within ``MISS_M`` of the place.
    """

    def __init__(
        self, target: Target | Spot, things: Things, beside: float = 0.0, reach: float = 1.0
    ) -> None:
        self._target, self._things, self._beside, self._reach = target, things, beside, reach
        self._turn: float | None = None

    def __call__(self, here: Pose, ball: Thing) -> float:
        """Return the direction, rad in map."""
        x, y, _ = ball.position
        to_x, to_y = self._target.last(here)
        straight, far = atan2(to_y - y, to_x - x), hypot(to_x - x, to_y - y)
        if self._turn is None or hypot(x - here.x, y - here.y) > KEEP_M:
            free = self._beside * (far / self._reach - 1.0) / (FREE_REACHES - 1.0)
            most = min(self._beside, max(atan2(MISS_M, far), free))
            soonest = within(wrap_angle(atan2(y - here.y, x - here.x) - straight), most)
            others = [
                one for one in others_of(self._things) if hypot(one.x - x, one.y - y) < min(far, IN_WAY_M)
            ]
            self._turn = self._free_turn(Pose(x, y), straight, others, soonest)
        return straight + self._turn

    def _free_turn(self, ball: Pose, straight: float, others: list[Pose], soonest: float) -> float:
        """Return the free turn next to the soonest one.

        The last one is kept while it is free, as going round costs time.
        """
        turns = sorted((soonest, *TURNS), key=lambda turn: abs(turn - soonest))
        before: tuple[float, ...] = () if self._turn is None or not others else (self._turn,)
        for turn in (*before, *turns):
            room = STAY_FREE_M if turn == self._turn else FREE_M
            ways = [way(ball, other, straight + turn) for other in others]
            if all(ahead < 0.0 or abs(aside) > room for ahead, aside in ways):
                return turn
        return soonest


def kick_ball(
    skill: Skill, values: Values, limits: WalkLimits, kick: BallKick | None, things: Things
) -> Program:
    """Return the program of a skill of walk ``kick``.

    Args:
        skill: for the text of errors.
        values: ``distance`` (m) that the ball is to roll, ``direction`` (rad) beside the heading of the body now, or
            ``towards``, a thing, or x and y in ``map``, past others who stand in the way; ``beside``: so many rad
            beside that way will do; ``thing``: the ball.
        limits: of the gait.
        kick: of the gait, if it has one.
        things: that are known. Without a ball the body runs ``distance``, at most a metre, straight ahead.

    Raises:
        CommandError: a thing to kick to is not known, a direction is given twice, or ``beside`` without a place.
    """
    target = target_of(skill.name, values, "towards", things)
    if target is not None and "direction" in values:
        raise CommandError(f"skill {skill.name!r}: give either a direction, or where the ball is to go")
    beside = float(values.get("beside", 0.0))
    if target is None and beside > 0.0:
        raise CommandError(f"skill {skill.name!r}: beside goes with towards, or x and y")
    name = str(values.get("thing", BALL))
    distance = float(values["distance"]) if "distance" in values else None
    if not named(name, things()) and target is None and not values.get("direction") and name == BALL:
        return Walk(limits, 1.0, distance=min(distance or RUN_M, LONGEST_RUN_M))
    if kick is None:
        raise CommandError(f"skill {skill.name!r}: the gait of this body has no kick")
    if target is None:
        aim: Aim = Ahead(float(values.get("direction", 0.0)))
    else:
        aim = Towards(target, things, beside, max(kick.ways[-1], LEAST_REACH_M))
    return KickBall(
        limits, kick, Ball(name, things), aim, distance, rough=target is not None and beside > 0.0
    )
