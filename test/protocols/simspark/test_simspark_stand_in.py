# SPDX-License-Identifier: Apache-2.0
"""The stand-in says and does what the real rcssserver3d was recorded to say and do."""

import json
import math
import re
from pathlib import Path
from random import Random

import pytest

from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.standins.simspark.agents import AgentConversation, Faults
from embodiment_bridge.standins.simspark.anatomy import poses
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.framing import Framer, frame

ROOT = Path(__file__).parents[3]
SMALL = ROOT / "test/data/simspark"
LARGE = ROOT.parent / "shared/data/simspark"
NUMBER = re.compile(r"-?\d+\.\d\d")
LATENCY = 0.04  # s from sending a speed to the percept that shows it, in the recording
SCENE = b"(scene rsg/agent/nao/nao.rsg)"


def messages(path):
    return [found.payload.decode() for found in Framer().feed(path.read_bytes())]


def talk(world, scene=SCENE):
    made = AgentConversation(world, Faults(), Random(0), true_pose=False)
    made.hear(scene)
    return made


def shape(text):
    """A percept without its numbers, and without lines, of which one may just be out of view."""
    text = re.sub(r"\(L .*?\)\)", "", NUMBER.sub("#", text))
    return re.sub(r" +", " ", text).replace(" )", ")")


def picture(text):
    vision = Codec().feed(frame(text.encode()))[0].vision
    return {point.name: (point.distance_m, point.azimuth_deg, point.elevation_deg) for point in vision.points}


@pytest.mark.parametrize(
    ("name", "scene", "team", "joins"),
    [("nao", SCENE, "alpha", 11), ("toe", b"(scene rsg/agent/nao/nao_hetero.rsg 4)", "beta", 12)],
)
def test_first_percepts_have_the_form_of_the_recorded_ones(name, scene, team, joins):
    real = messages(SMALL / f"short_agent_{name}.bin")
    world = World(noise=False)
    if team == "beta":
        world.join(world.add("rsg/agent/nao/nao.rsg"), "alpha", 1)
        for _ in range(40):
            world.step()
    player = talk(world, scene)
    for number, recorded in enumerate(real[: joins + 20]):
        if number == joins:
            player.hear(f"(init (unum 1)(teamname {team}))".encode())
        world.step()
        assert shape(player.message()) == shape(recorded), number


def test_first_picture_shows_everything_where_the_real_one_did():
    (recorded, *_) = messages(SMALL / "short_agent_nao.bin")
    world = World(noise=False)
    player = talk(world)
    world.step()
    ours, real = picture(player.message()), picture(recorded)
    assert ours.keys() == real.keys()
    for name, seen in real.items():
        assert ours[name][0] == pytest.approx(seen[0], abs=0.1), name
        assert ours[name][1:] == pytest.approx(seen[1:], abs=0.5), name


def test_joints_move_as_in_the_recording_within_a_degree():
    if not (LARGE / "agent_alpha1_nao.bin").is_file():
        pytest.skip("the large recordings are not here")
    real = messages(LARGE / "agent_alpha1_nao.bin")
    rows = (LARGE / "agent_alpha1_nao.idx").read_text().splitlines()
    times = [float(row.split()[0].strip(",")) for row in rows if row[0].isdigit()]
    sent = [json.loads(row) for row in (LARGE / "agent_alpha1_nao.sent.jsonl").read_text().splitlines()]
    world = World(noise=False)
    player = talk(world)
    for recorded, time in zip(real, times, strict=True):
        while sent and sent[0][0] <= time - LATENCY:
            player.hear(sent.pop(0)[1].encode())
        world.step()
        ours = player.message()
        for joint in ("hj1", "laj1", "raj1"):
            angles = [
                float(re.search(rf"\(n {joint}\) \(ax ([-\d.]+)\)", text)[1]) for text in (ours, recorded)
            ]
            assert angles[0] == pytest.approx(angles[1], abs=1.0), (time, joint)


def test_parts_of_a_nao_are_where_the_monitor_shows_them():
    places = {name: pose.place for name, pose in poses({}).items()}
    assert list(places)[:3] == ["torso", "neck", "head"]
    assert len(places) == 23
    assert places["head"] == (0.0, 0.0, 0.155)
    assert places["rlowerarm"] == pytest.approx((0.098, 0.14, 0.084))
    assert places["lfoot"] == pytest.approx((-0.055, 0.025, -0.375))


def started(world, team="a", number=1):
    player = talk(world)
    world.step()
    player.message()
    player.hear(f"(init (unum {number})(teamname {team}))".encode())
    for _ in range(60):
        world.step()
        player.message()
    return player


@pytest.mark.parametrize(("again", "number"), [(0, 3), (1, 1), (2, 1), (5, 5)])
def test_player_that_asks_again_gets_another_number_if_it_is_free(again, number):
    world = World(noise=False)
    player = started(world, number=1)
    started(world, number=2)
    player.hear(f"(init (unum {again})(teamname a))".encode())
    assert [one.number for one in world.players] == [number, 2]


def test_speed_is_kept_until_another_comes():
    world = World(noise=False)
    player = started(world)
    player.hear(b"(he1 1.0)")
    for _ in range(50):
        world.step()
    assert world.players[0].angles["hj1"] == pytest.approx(57.3, abs=0.1)


def test_joint_that_is_driven_into_its_stop_bounces_and_misses_a_command():
    world = World(noise=False)
    player = started(world)
    player.hear(b"(he1 6.0)")
    angles = []
    for _ in range(60):
        world.step()
        angles.append(world.players[0].angles["hj1"])
    assert max(angles) > 120.0
    assert min(angles[-4:]) < 120.0
    while world.players[0].angles["hj1"] <= 120.0:
        world.step()
    player.hear(b"(he1 -1.0)")
    assert world.players[0].speeds["hj1"] == 6.0


def test_init_before_the_first_percept_is_lost():
    world = World(noise=False)
    player = talk(world)
    player.hear(b"(init (unum 1)(teamname a))")
    world.step()
    assert "unum" not in player.message()
    assert world.players[0].side == ""


def test_wrong_scene_gives_no_percepts_and_a_later_one_does():
    world = World(noise=False)
    player = talk(world, b"(scene rsg/agent/no.rsg)")
    assert player.message() == ""
    player.hear(SCENE)
    assert player.message()


@pytest.mark.parametrize("number", [1, 12, -1])
def test_player_that_is_refused_hears_percepts_without_number_and_side(number):
    world = World(noise=False)
    started(world)
    second = started(world, number=number)
    assert "unum" not in second.message()
    assert world.players[1].side == ""


def test_third_team_is_refused():
    world = World(noise=False)
    for team in ("a", "b", "c"):
        started(world, team)
    assert [player.side for player in world.players] == ["left", "right", ""]


@pytest.mark.parametrize(("team", "x", "yaw"), [("a", -3.0, 30.0), ("b", 3.0, 210.0)])
def test_beam_is_seen_from_the_own_side(team, x, yaw):
    world = World(noise=False)
    started(world, "a", 2)
    player = started(world, team)
    player.hear(b"(beam -3 1 30)")
    found = world.players[1]
    assert found.place[:2] == pytest.approx((x, 1.0 if x < 0 else -1.0))
    assert math.degrees(found.yaw) == pytest.approx(yaw)


def test_beam_is_ignored_while_the_game_goes_on():
    world = World(noise=False)
    player = started(world)
    world.game.play_mode = "PlayOn"
    before = world.players[0].place
    player.hear(b"(beam -3 1 30)")
    assert world.players[0].place == before


def test_of_many_messages_one_in_two_cycles_is_heard_and_the_own_ones_always():
    world = World(noise=False)
    speaker, listener = started(world, "a", 1), started(world, "a", 2)
    own, others = "", ""
    for number in range(6):
        speaker.hear(f"(say m{number})".encode())
        world.step()
        own += speaker.message()
        others += listener.message()
    assert re.findall(r"self (m\d)", own) == [f"m{n}" for n in range(6)]
    assert re.findall(r"(m\d)\)", others) == ["m0", "m2", "m4"]


def test_text_that_is_too_long_is_heard_by_nobody():
    world = World(noise=False)
    player = started(world)
    player.hear(b"(say " + b"x" * 21 + b")")
    assert "hear" not in player.message()


@pytest.mark.parametrize(
    "bad",
    [
        b"(((",
        b"he1",
        b"(he1 abc)",
        b"(nosuch 1)",
        b"",
        b"(he1 nan)",
        b"\xff\0",
        b"(beam 1)",
        b"(init)",
        b"(())",
    ],
)
def test_bad_input_is_ignored(bad):
    world = World(noise=False)
    player = started(world)
    before = dict(world.players[0].speeds)
    player.hear(bad)
    world.step()
    assert player.message().startswith("(time")
    assert world.players[0].speeds == before


def test_half_time_and_the_end_come_by_themselves():
    world = World(noise=False)
    world.game.play_mode, world.game.time = "PlayOn", 299.99
    world.step()
    assert (world.game.half, world.game.play_mode) == (2, "BeforeKickOff")
    world.game.play_mode, world.game.time = "PlayOn", 599.99
    world.step()
    assert world.game.play_mode == "GameOver"


def test_ball_rolls_out_and_bounces():
    world = World(noise=False)
    world.game.play_mode = "PlayOn"
    world.ball.place, world.ball.speed = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    heights = []
    for _ in range(500):
        world.step()
        heights.append(world.ball.place[2])
    assert min(heights) == pytest.approx(0.042, abs=1e-6)
    assert world.ball.place[0] > 1.0
    assert heights[-1] == pytest.approx(0.042, abs=1e-3)
