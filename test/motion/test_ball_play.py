# SPDX-License-Identifier: Apache-2.0
"""A body that plays with a ball: it goes behind it and kicks it once, also when it is held or stopped."""

import math
from dataclasses import replace

import pytest
from ball_stage import Player, thing
from motion_stage import DT, T1, T1_FILE

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import WalkCommand, Walker
from embodiment_bridge.motion.joints.sensing import LEVEL
from embodiment_bridge.motion.walking.kick import Towards
from embodiment_bridge.motion.walking.targets import Target
from embodiment_bridge.motion.walking.walk_program import Pose


@pytest.mark.parametrize("goal", [(4.0, 0.0), (-4.0, 0.0), (1.0, 5.0)])
def test_behind_a_thing_is_on_the_line_to_the_other_and_the_way_there_does_not_touch_it(goal) -> None:
    player = Player(ball=(1.0, 0.5), goal=thing("goal", *goal))
    assert player.do("go_to", thing="ball", towards="goal").status is SkillStatus.SUCCEEDED
    assert player.ball == (1.0, 0.5)
    yaw = math.atan2(goal[1] - 0.5, goal[0] - 1.0)
    assert player.place == pytest.approx((1.0 - 0.35 * math.cos(yaw), 0.5 - 0.35 * math.sin(yaw)), abs=0.1)
    assert math.remainder(player.state.yaw - yaw, 2 * math.pi) == pytest.approx(0.0, abs=0.1)


def test_the_thing_behind_which_it_stands_is_faced_towards_one_that_moves() -> None:
    player = Player(ball=(1.0, 0.0), mate=thing("mate", 1.15, 0.0))
    player.runner.start(SkillRequest("go_to", "go_to", {"thing": "ball", "towards": "mate"}))
    player.run(1.0)
    angle = 0.4  # its place behind the ball moves by less than 0.15 m
    player.others["mate"] = thing("mate", 1.0 + 0.15 * math.cos(angle), 0.15 * math.sin(angle))
    assert player.finish("go_to").status is SkillStatus.SUCCEEDED
    assert player.state.yaw == pytest.approx(angle, abs=0.1)


def test_towards_needs_a_thing_that_is_known() -> None:
    player = Player(ball=(1.0, 0.5))
    with pytest.raises(CommandError, match=r"unknown thing 'goal' \(known: ball\)"):
        player.do("go_to", thing="ball", towards="goal")
    with pytest.raises(CommandError, match="towards goes with a thing"):
        player.do("go_to", x=1.0, y=1.0, towards="ball")


def test_find_is_done_at_once_when_the_thing_is_seen() -> None:
    player = Player(ball=(1.0, 0.5))
    assert player.do("find", 0.5, thing="ball").status is SkillStatus.SUCCEEDED
    assert player.state.yaw == 0.0


@pytest.mark.parametrize(("y", "sign"), [(2.0, 1.0), (-2.0, -1.0)])
def test_find_turns_to_where_the_thing_was_seen_last(y, sign) -> None:
    player = Player(robin=thing("robin", -1.0, y, visible=False))
    player.runner.start(SkillRequest("find", "find", {"thing": "robin"}))
    player.run(1.5)
    assert sign * player.state.yaw > 0.3
    player.others["robin"] = thing("robin", -1.0, y)
    assert player.finish("find").status is SkillStatus.SUCCEEDED


def test_find_gives_up_after_a_round() -> None:
    report = Player().do("find", thing="ball")
    assert (report.status, report.reason) == (SkillStatus.FAILED, "'ball' is not seen all round")


@pytest.mark.parametrize("to", [(3.0, 0.5), (-2.0, -1.0)])
def test_dribble_pushes_the_ball_to_a_place(to) -> None:
    player = Player(ball=(1.0, 0.3))
    assert player.do("dribble", 120.0, x=to[0], y=to[1], distance=0.4).status is SkillStatus.SUCCEEDED
    assert math.dist(player.ball, to) <= 0.4


def test_dribble_fails_without_the_ball_and_is_refused_without_a_place() -> None:
    player = Player(ball=(1.0, 0.3))
    with pytest.raises(CommandError, match="give to, or x and y"):
        player.do("dribble")
    player.runner.start(SkillRequest("dribble", "dribble", {"x": 3.0, "y": 0.0}))
    player.run(0.5)
    player.ball = None
    report = player.finish("dribble")
    assert (report.status, report.reason) == (SkillStatus.FAILED, "the ball is not known any more")


@pytest.mark.parametrize("direction", [0.0, 0.6, -0.6, 2.5])
def test_kick_goes_behind_the_ball_and_swings_the_foot_that_stands_there(direction) -> None:
    player, kick = Player(T1, ball=(0.8, 0.1)), T1.carrier.kick
    player.runner.start(SkillRequest("kick", "kick", {"direction": direction}))
    walker = player.walker
    for _ in range(3000):
        player.step()
        if walker.kicking:
            break
    x, y = player.place
    dx, dy, yaw = player.ball[0] - x, player.ball[1] - y, player.state.yaw
    ahead, aside = math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx
    assert (ahead, abs(aside)) == pytest.approx((kick.ahead, kick.aside), abs=0.05)
    drift = kick.drift(1.0) * math.copysign(1.0, aside)
    assert math.remainder(yaw + drift - direction, 2 * math.pi) == pytest.approx(0.0, abs=0.1)
    hips = {side: f"{side}_Hip_Pitch" for side in ("Left", "Right")}
    before = {side: player.angle(hip) for side, hip in hips.items()}
    swung = dict.fromkeys(hips, 0.0)
    while walker.kicking:
        player.step()
        swung = {side: max(swung[side], abs(player.angle(hip) - before[side])) for side, hip in hips.items()}
    foot, other = ("Left", "Right") if aside > 0.0 else ("Right", "Left")
    assert swung[foot] > 0.3 > swung[other]
    assert player.finish("kick").status is SkillStatus.SUCCEEDED


def test_who_walks_fast_comes_to_the_ball_as_slowly_as_others() -> None:
    fast = replace(T1.carrier.walk, forward=1.4, backward=0.8, left=0.5, brake=1.5)
    player = Player(replace(T1, carrier=replace(T1.carrier, walk=fast)), ball=(4.0, 0.5))
    player.runner.start(SkillRequest("kick", "kick", {}))
    speeds: list[tuple[float, float]] = []
    while not player.walker.kicking and player.status("kick") is not SkillStatus.FAILED:
        player.step()
        speeds.append((math.dist(player.place, player.ball), math.hypot(*player.runner.velocity[:2])))
    assert player.walker.kicking
    assert max(speed for _, speed in speeds) > 1.3
    assert max(speed for away, speed in speeds if away < 0.9) < 0.65


def test_kick_of_a_skill_that_was_replaced_is_not_taken_for_that_of_the_next_one() -> None:
    player = Player(T1, ball=(0.8, 0.1))
    player.runner.start(SkillRequest("one", "kick", {}))
    walker = player.walker
    while not walker.kicking:
        player.step()
    player.ball = (player.place[0] + 1.0, 0.0)
    player.runner.start(SkillRequest("two", "kick", {}))
    kicks, before = 0, True
    for _ in range(3000):
        player.step()
        kicks, before = kicks + (walker.kicking and not before), walker.kicking
        if (report := player.last("two")) is not None and report.status.ended:
            break
    assert report is not None
    assert report.status is SkillStatus.SUCCEEDED, report.reason
    assert kicks == 1


def test_kick_without_a_ball_runs_straight_ahead() -> None:
    player = Player(T1)
    assert player.do("kick", distance=0.7).status is SkillStatus.SUCCEEDED
    assert player.place == pytest.approx((0.7, 0.0), abs=0.15)


def test_kick_fails_when_the_ball_is_gone_and_is_refused_without_a_kick_in_the_gait() -> None:
    player = Player(T1, ball=(3.0, 0.0))
    player.runner.start(SkillRequest("kick", "kick", {}))
    player.run(1.0)
    player.ball = None
    assert player.finish("kick").reason == "the ball is not known any more"
    with pytest.raises(CommandError, match="the gait of this body has no kick"):
        Player(ball=(1.0, 0.0)).do("kick")
    with pytest.raises(CommandError, match="give either a direction, or where the ball is to go"):
        Player(T1, ball=(1.0, 0.0)).do("kick", direction=0.3, x=1.0, y=1.0)
    with pytest.raises(CommandError, match="beside goes with towards, or x and y"):
        Player(T1, ball=(1.0, 0.0)).do("kick", beside=0.5)


@pytest.mark.parametrize(
    "aim",
    [{"towards": "goal"}, {"x": 1.0, "y": 0.0}, {"x": 0.0, "y": 0.0}, {"direction": 0.5}, {"thing": "goal"}],
)
def test_a_body_that_does_not_know_where_it_is_kicks_only_straight_ahead(aim) -> None:
    player = Player(T1, ball=(1.0, 0.5), **GOAL)
    player.state = replace(player.state, has_base=False)
    player.moved = lambda dt: player.state
    player.run(1.0)
    with pytest.raises(CommandError, match="the body does not know where it is"):
        player.runner.start(SkillRequest("kick", "kick", aim))
    player.runner.start(SkillRequest("kick", "kick", {"direction": 0.0}))
    assert player.status("kick") is not SkillStatus.FAILED


GOAL = {"goal": thing("goal", 9.0, 0.0)}


@pytest.mark.parametrize(
    ("others", "turn"),
    [
        ([], 0.0),
        ([(3.0, 0.0)], 0.5),
        ([(3.0, 0.3)], -0.25),
        ([(3.0, -0.3)], 0.25),
        ([(3.0, 0.0), (2.8, 0.8)], -0.5),
        ([(0.5, 0.0)], 0.0),  # behind the ball
        ([(4.8, 0.0)], 0.0),  # far
        ([(2.5, y) for y in (-1.5, -0.9, -0.3, 0.3, 0.9, 1.5)], 0.0),  # a wall: nothing is better
    ],
)
def test_ball_is_kicked_past_those_who_stand_in_its_way(others, turn) -> None:
    players = {f"player_{i}": thing("player", *place) for i, place in enumerate(others)}
    things = {"ball": thing("ball", 2.0, 0.0), **GOAL, **players}
    aim = Towards(Target("goal", lambda: things), lambda: things)
    assert aim(Pose(1.0, 0.0), things["ball"]) == pytest.approx(turn)


def test_a_way_past_others_is_kept_until_somebody_stands_in_it() -> None:
    things = {"ball": thing("ball", 2.0, 0.0), **GOAL, "player_1": thing("player", 3.0, 0.3)}
    aim = Towards(Target("goal", lambda: things), lambda: things)
    assert aim(Pose(1.0, 0.0), things["ball"]) == -0.25
    for y, turn in ((0.9, -0.25), (0.2, -0.25), (-0.25, 0.25)):
        things["player_1"] = thing("player", 3.0, y)
        assert aim(Pose(1.0, 0.0), things["ball"]) == turn


@pytest.mark.parametrize(
    ("here", "goal_m", "turn"),
    [
        ((1.0, 0.0), 30.0, 0.0),
        ((1.0, -0.3), 30.0, math.atan2(0.3, 1.0)),
        ((2.0, -1.0), 30.0, 0.5),  # it stands beside the ball: no further than asked
        ((2.0, 1.0), 30.0, -0.5),
        ((2.0, -1.0), 10.5, 0.25),  # halfway between one reach and two and a half
        ((2.0, -1.0), 5.0, math.atan2(1.0, 5.0)),  # within reach: it must hit
    ],
)
def test_ball_is_kicked_beside_the_straight_way_where_that_is_sooner(here, goal_m, turn) -> None:
    things = {"ball": thing("ball", 2.0, 0.0), "goal": thing("goal", 2.0 + goal_m, 0.0)}
    aim = Towards(Target("goal", lambda: things), lambda: things, 0.5, 6.0)
    assert aim(Pose(*here), things["ball"]) == pytest.approx(turn)


def test_at_the_ball_the_direction_of_the_kick_is_kept() -> None:
    things = {"ball": thing("ball", 2.0, 0.0), **GOAL}
    aim = Towards(Target("goal", lambda: things), lambda: things, 0.5, 2.0)
    assert aim(Pose(1.0, -0.3), things["ball"]) == pytest.approx(math.atan2(0.3, 1.0))
    things["player_1"] = thing("player", 3.0, 0.3)
    assert aim(Pose(1.5, 0.1), things["ball"]) == pytest.approx(math.atan2(0.3, 1.0))


def test_a_body_that_comes_to_know_its_heading_has_not_turned_by_that() -> None:
    player = Player()
    player.state = replace(player.state, yaw=-3.0, has_base=False)
    player.run(1.0)
    player.runner.start(SkillRequest("find", "find", {"thing": "ball"}))
    turned, last = 0.0, player.state.yaw
    for step in range(2000):
        player.step()
        turned, last = turned + math.remainder(player.state.yaw - last, 2 * math.pi), player.state.yaw
        if step == 50:
            player.state = replace(player.state, has_base=True)
        if player.status("find") is SkillStatus.FAILED:
            break
    assert player.last("find").reason == "'ball' is not seen all round"
    assert turned == pytest.approx(1.25 * 2 * math.pi, abs=0.5)


NAO = read_body(T1_FILE.with_name("nao.yaml"))


@pytest.mark.parametrize("body", [T1, NAO], ids=["t1", "nao"])
@pytest.mark.parametrize("cycles", [1, 60])
def test_kick_that_began_before_a_hold_is_the_only_one(body, cycles: int) -> None:
    player = Player(body, ball=(0.8, 0.1))
    player.runner.start(SkillRequest("kick", "kick", {}))
    walker, kicks, before = player.walker, 0, False
    for _ in range(3000):
        player.step()
        began, before = walker.kicking and not before, walker.kicking
        kicks += began
        if began and kicks == 1:
            player.runner.hold(True)
            player.run(cycles * DT)
            player.runner.hold(False)
            before = walker.kicking
        if (report := player.last("kick")) is not None and report.status.ended:
            break
    assert player.status("kick") is SkillStatus.SUCCEEDED
    assert kicks == 1


@pytest.mark.parametrize("rolled", [0.0, 1.5])
def test_nao_that_was_held_before_its_kick_goes_behind_the_ball_again_if_that_has_moved(rolled) -> None:
    player = Player(NAO, ball=(0.8, 0.1))
    player.runner.start(SkillRequest("kick", "kick", {}))
    walker = player.walker
    for _ in range(3000):
        player.step()
        if walker.kick is not None:
            break
    assert not walker.kicking
    player.runner.hold(True)
    player.run(2.0)
    player.ball = player.ball[0] + rolled, player.ball[1]
    player.runner.hold(False)
    place = player.place[0]
    for _ in range(3000):
        player.step()
        if walker.kicking:
            break
    assert walker.kicking
    assert math.dist(player.place, player.ball) < NAO.carrier.kick.ahead + 0.15
    assert player.place[0] - place == pytest.approx(rolled, abs=0.1)


@pytest.mark.parametrize("name", ["t1", "k1"])
@pytest.mark.parametrize("cycles", [1, 5, 10])
def test_kick_that_is_stopped_ends_without_a_jump_and_soon(name: str, cycles: int) -> None:
    body = read_body(T1_FILE.with_name(f"{name}.yaml"))
    index = {joint.name: i for i, joint in enumerate(body.joints)}

    def kick(stop_after: int) -> tuple[float, int]:
        """The longest way of a joint in a cycle from the begin of the kick on, and cycles until the body stands."""
        walker, out = Walker(body.carrier, index), [0.0] * len(body.joints)
        while not walker.kicking:
            walker.step(WalkCommand(True, kick=Kick(True, 1.0)), DT)
            walker.write(out, LEVEL)
        furthest, cycle = 0.0, 0
        while not walker.standing:
            cycle += 1
            walker.step(WalkCommand(cycle < stop_after), DT)
            before = out.copy()
            walker.write(out, LEVEL)
            furthest = max(furthest, *(abs(a - b) for a, b in zip(before, out, strict=True)))
            assert cycle < 200
        return furthest, cycle

    usual, stopped = kick(40), kick(cycles)
    assert stopped[0] == pytest.approx(usual[0], rel=0.05)
    assert stopped[1] * DT < 0.4 + 1.0 / body.carrier.walk.amplitude_rate + 2 * DT
