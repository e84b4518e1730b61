# SPDX-License-Identifier: Apache-2.0
"""Kicks and holds, stops: a kick that began is made once and to its end, another one only at the ball."""

import math

import pytest
from ball_stage import Player
from motion_stage import DT, T1, T1_FILE

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import WalkCommand, Walker
from embodiment_bridge.motion.joints.sensing import LEVEL

NAO = read_body(T1_FILE.with_name("nao.yaml"))


@pytest.mark.parametrize("body", [T1, NAO], ids=["t1", "nao"])
@pytest.mark.parametrize("cycles", [1, 60])
def test_kick_that_began_before_a_hold_is_the_only_one(body, cycles: int) -> None:
    player = Player(body, ball=(0.8, 0.1))
    player.runner.start(SkillRequest("kick", "kick", {}))
    walker, kicks, before = player.runner._legs.walker, 0, False
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
    walker = player.runner._legs.walker
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
