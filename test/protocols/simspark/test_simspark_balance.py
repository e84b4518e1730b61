# SPDX-License-Identifier: Apache-2.0
"""Robots lean, fall when they are pushed and push each other; a fall is told when it is one, and only then."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import pytest
from embodiment_bridge.srv import Beam
from nao_stage import Nao

from embodiment_bridge.motion.skills.requests import SkillRequest
from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.standins.simspark.orders import Trainer
from embodiment_bridge.standins.simspark.player import LIES, TIPS, Balance
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.framing import frame

SCENE = "rsg/agent/nao/nao.rsg"
TOPPLES = 1.5  # m/s


def lean(player) -> float:
    return math.hypot(*player.balance.lean)


def test_a_robot_that_stands_is_still() -> None:
    nao = Nao().run(3.0)
    assert nao.player.rates == pytest.approx((0.0, 0.0, 0.0), abs=0.01)
    assert nao.player.acceleration == pytest.approx((0.0, 0.0, 9.81), abs=0.01)


def test_a_robot_that_walks_is_shaken_as_a_real_one_and_does_not_fall() -> None:
    """On the real server the gyro has up to 20 to 50 deg/s, and the acceleration is 7 to 25 m/s2."""
    nao = Nao().run(2.0)
    nao.runner.start(SkillRequest("walk", "walk", {"distance": 0.8}, 0.0))
    rates, felt = [], []
    for _ in range(400):
        nao.cycle()
        rates.append(math.hypot(*nao.player.rates))
        felt.append(math.hypot(*nao.player.acceleration))
        assert lean(nao.player) < 0.3 * TIPS
        assert nao.runner.status != "fallen"
    assert 15.0 < max(rates) < 100.0
    assert 5.0 < min(felt) < 9.0
    assert 11.0 < max(felt) < 25.0


@pytest.mark.parametrize("way", range(0, 360, 45))
def test_a_push_topples_and_a_nudge_does_not(way) -> None:
    right, forward = math.cos(math.radians(way)), math.sin(math.radians(way))
    nudged, pushed = Balance(), Balance()
    nudged.push(0.2 * right, 0.2 * forward)
    pushed.push(TOPPLES * right, TOPPLES * forward)
    for _ in range(250):
        nudged.step(0.0, 0.0, 0.02)
        pushed.step(0.0, 0.0, 0.02)
    assert nudged.lean == pytest.approx((0.0, 0.0), abs=0.01)
    assert math.hypot(*pushed.lean) == pytest.approx(LIES)
    up = [row[2] for row in pushed.turn]  # the torso's own up, in the axes of a level one
    assert up[0] * right + up[1] * forward > 0.9


def test_a_robot_that_was_pushed_lies_is_told_so_and_stands_after_a_beam() -> None:
    nao = Nao().run(2.0)
    nao.player.balance.push(0.0, TOPPLES)
    nao.run(3.0)
    assert nao.runner.status == "fallen"
    assert nao.state.pitch == pytest.approx(LIES, abs=0.1)  # on its face
    assert nao.player.place[2] < 0.15
    assert nao.player.on_ground == ()
    nao.converter.handle_request("beam", Beam.Request(x=-3.0, y=1.0, theta=0.0))
    nao.run(2.0)
    assert nao.runner.status == "standing"
    assert nao.player.place[2] > 0.3


def together(count: int) -> World:
    """Robots that have just appeared, all in one place."""
    world = World(seed=3)
    for _ in range(count):
        assert world.add(SCENE)
    for _ in range(150):
        world.step()
    return world


def test_robots_in_one_place_push_each_other_over_and_apart() -> None:
    one, other = together(2).players
    assert (lean(one), lean(other)) == pytest.approx((LIES, LIES))
    assert math.dist(one.place[:2], other.place[:2]) > 0.2
    assert lean(together(1).players[0]) == 0.0


def test_one_that_lies_joins_lying_is_moved_as_it_is_and_put_upright_by_beam() -> None:
    world = together(2)
    player, _ = world.players
    assert world.join(player, "reds", 1)
    world.step()
    assert player.balance.fallen
    Trainer(world, lambda: None).obey(b"(agent (unum 1)(team Left)(pos -3 2 0.5))")
    assert player.place == (-3.0, 2.0, 0.5)
    assert player.balance.fallen
    assert world.beam(player, -2.0, 1.0, 0.0)
    assert not player.balance.fallen


@pytest.mark.parametrize("push", [TOPPLES, -TOPPLES], ids=["front", "back"])
def test_a_robot_that_lies_gets_up_from_either_side(push) -> None:
    nao = Nao().run(2.0)
    nao.player.balance.push(0.0, push)
    nao.run(2.0)
    assert nao.runner.status == "fallen"
    report, _ = nao.do("get_up")
    assert report.status.name == "SUCCEEDED", report.reason
    nao.run(1.0)
    assert nao.runner.status == "standing"
    assert nao.player.place[2] > 0.3


def test_a_robot_that_lies_with_its_feet_away_from_it_stays_so() -> None:
    nao = Nao().run(2.0)
    nao.player.balance.push(0.0, TOPPLES)
    nao.run(4.0)
    assert lean(nao.player) == pytest.approx(LIES)


ROOT = Path(__file__).parents[3]
SMALL = ROOT / "test/data/simspark"
LARGE = ROOT.parent / "shared/data/simspark_real"
LET_IN = b"(time (now 0.00))(GS (unum 2) (team left) (sl 0) (sr 0) (t 0.00) (pm BeforeKickOff))"
FALL = 92.9  # s of the server: the robot loses its balance; it lies at 93.4
HEIGHT = 0.36  # m of the torso with the legs as they are in a stand and a walk, by the URDF


def percepts(path):
    if not path.is_file():
        pytest.skip("the large recordings are not here")
    codec = Codec()
    return codec.feed(frame(LET_IN)) + codec.feed(gzip.decompress(path.read_bytes())) + codec.close()


def watched(path, spoil=lambda event: event):
    """(time, status, state) after each percept of a recording."""
    nao, before, found = Nao(), None, []
    for event in percepts(path):
        state = nao.converter.body_state(spoil(event))
        if state is not None:
            nao.runner.step(state, state.time - before.time if before else 0.0)
            found.append((state.time, nao.runner.status, state))
            before = state
    assert len(found) > 50
    return found


def blind(event):
    """The percept without a picture: then nobody knows where the robot is."""
    return replace(event, vision=None)


UPRIGHT = [
    SMALL / "walk_upright.bin.gz",
    LARGE / "agent_sync_walk_ok.bin.gz",
    LARGE / "agent_sync_false_fall.bin.gz",
]
FALLING = [SMALL / "walk_fall.bin.gz", LARGE / "agent_realtime_walk_fall.bin.gz"]


@pytest.mark.parametrize("path", UPRIGHT, ids=lambda path: path.name)
@pytest.mark.parametrize("spoil", [lambda event: event, blind], ids=["seeing", "blind"])
def test_robot_that_walks_upright_never_counts_as_fallen(path, spoil):
    assert "fallen" not in {status for _, status, _ in watched(path, spoil)}


@pytest.mark.parametrize("path", UPRIGHT, ids=lambda path: path.name)
def test_height_of_a_robot_on_its_feet_is_that_of_its_legs(path):
    heights = [state.base_position[2] for _, _, state in watched(path) if state.has_base]
    on_feet = heights[len(heights) // 20 :]  # it drops at first
    assert len(on_feet) > 50
    assert (min(on_feet), max(on_feet)) == pytest.approx((HEIGHT, HEIGHT), abs=0.05)


@pytest.mark.parametrize("path", FALLING, ids=lambda path: path.name)
@pytest.mark.parametrize("spoil", [lambda event: event, blind], ids=["seeing", "blind"])
def test_fall_is_noticed_at_once_and_not_before(path, spoil):
    times = [time for time, status, _ in watched(path, spoil) if status == "fallen"]
    assert FALL < times[0] < FALL + 0.4


def test_estimate_starts_anew_after_a_beam():
    nao = Nao().run(2.0)
    assert nao.state.has_base
    x, y, _ = nao.player.place
    beside = Beam.Request(
        x=x - 0.4, y=y, theta=nao.player.yaw
    )  # so near that it could be an error of the fix
    nao.converter.handle_request("beam", beside)
    nao.run(0.3)
    assert nao.player.place[0] == pytest.approx(x - 0.4, abs=0.01)
    assert nao.state.base_position == pytest.approx(nao.player.place, abs=0.03)
