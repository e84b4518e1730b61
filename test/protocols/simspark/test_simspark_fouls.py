# SPDX-License-Identifier: Apache-2.0
"""Fouls of the stand-in, against those that the real rcssserver3d called in a recorded game of eleven players."""

import gzip
import re
from math import hypot, radians
from pathlib import Path
from random import Random

import pytest

from embodiment_bridge.protocols.simspark_monitor.codec import Codec
from embodiment_bridge.standins.simspark.faults import Faults
from embodiment_bridge.standins.simspark.fouls import FoulType, in_area, out_of_area
from embodiment_bridge.standins.simspark.monitors import MonitorConversation
from embodiment_bridge.standins.simspark.trainer import Trainer
from embodiment_bridge.standins.simspark.world import CYCLE_S, World
from embodiment_bridge.wire.framing import Framer, frame

RECORDING = Path(__file__).parents[4] / "shared/data/simspark_real/monitor_join11_trainer.bin.gz"
# At the recorded kick-off: number 11 lies, five stand in their penalty area, then 9 and 10 are moved out.
AT_KICK_OFF = {
    11: (-13.93, 6.8),
    5: (-14.19, 2.0),
    10: (-14.19, 0.8),
    7: (-14.19, -0.4),
    9: (-14.19, -1.6),
    4: (-14.19, -2.8),
}
IN_AREA = {4, 5, 7, 9, 10}
MOVED_OUT = {10: (-15.4, 1.45), 9: (-15.4, -1.6)}
PUT_ASIDE = (2.4, -10.5)  # number 11


def world_with(places, *, lying=()):
    """Players of the left team at places, standing or lying, before kick-off."""
    world = World(noise=False)
    for number, (x, y) in places.items():
        player = world.add("rsg/agent/nao/nao.rsg")
        world.join(player, "a", number)
        player.put((x, y, 0.34), 0.0)
        if number in lying:
            player.balance.lean = (-1.5, 0.0)
            player.place = (x, y, 0.08)
    for _ in range(10):
        world.step()
    return world


def run(world, seconds):
    for _ in range(round(seconds / CYCLE_S)):
        world.step()


def called(world):
    return [(foul.type, foul.number) for foul in world.referee.fouls]


def recorded_fouls():
    if not RECORDING.is_file():
        pytest.skip("the large recordings are not here")
    heads = [
        found.payload.split(b"(RS")[0].decode()
        for found in Framer().feed(gzip.decompress(RECORDING.read_bytes()))
    ]
    return [
        tuple(int(word) for word in found.split())
        for head in heads
        for found in re.findall(r"\(foul ([\d ]+)\)", head)
    ]


def test_recorded_game_has_the_fouls_of_the_stand_in():
    real = recorded_fouls()
    world = world_with(AT_KICK_OFF, lying=[11])
    world.game.play_mode = "KickOff_Left"
    run(world, 16.0)
    ours = [(foul.index, foul.type, 1, foul.number) for foul in world.referee.fouls]
    assert [foul[:3] for foul in ours] == [foul[:3] for foul in real]
    assert ours[2:] == real[2:]  # who of five is moved out is left to chance


def test_players_that_are_too_many_in_their_area_are_moved_over_its_border():
    world = world_with(AT_KICK_OFF)
    world.game.play_mode = "PlayOn"
    run(world, 1.0)
    assert [foul for foul, _ in called(world)] == [FoulType.ILLEGAL_DEFENCE] * 2
    moved = {number for _, number in called(world)}
    assert moved < IN_AREA
    inside = {player.number for player in world.players if in_area(player.place, "left")}
    assert inside == IN_AREA - moved


@pytest.mark.parametrize("number", sorted(MOVED_OUT))
def test_place_over_the_border_is_that_of_the_recording(number):
    x, y, z = out_of_area((*AT_KICK_OFF[number], 0.34), "left")
    assert (x, y) == pytest.approx(MOVED_OUT[number], abs=0.01)
    assert out_of_area((-AT_KICK_OFF[number][0], AT_KICK_OFF[number][1], z), "right")[:2] == pytest.approx(
        (-x, y)
    )


def test_player_that_lies_is_held_up_and_put_beside_the_field_as_it_lies():
    world = world_with({11: AT_KICK_OFF[11], 4: AT_KICK_OFF[4]}, lying=[11])
    player = world.player("left", 11)
    world.game.play_mode = "PlayOn"
    run(world, 15.0)
    assert called(world) == []
    run(world, 0.3)
    assert set(called(world)) == {(FoulType.INCAPABLE, 11)}
    assert player.place == pytest.approx((*AT_KICK_OFF[11], 1.13), abs=0.1)
    run(world, 1.0)
    assert len(called(world)) == 26  # as recorded
    assert player.place[:2] == pytest.approx(PUT_ASIDE)
    assert player.balance.fallen


def test_goalkeeper_may_lie_twice_as_long():
    world = world_with({1: (-5.0, 0.0)}, lying=[1])
    world.game.play_mode = "PlayOn"
    run(world, 29.9)
    assert called(world) == []
    run(world, 1.0)
    assert {number for _, number in called(world)} == {1}


@pytest.mark.parametrize("mode", ["BeforeKickOff", "Goal_Left", "GameOver"])
def test_nothing_is_a_foul_while_nobody_plays(mode):
    world = world_with({11: AT_KICK_OFF[11]}, lying=[11])
    world.game.play_mode = mode
    run(world, 16.0)
    world.game.play_mode = "PlayOn"
    run(world, 1.0)
    assert called(world) == []


def test_third_robot_that_touches_two_others_is_moved_away():
    world = world_with({2: (-5.0, 0.0), 3: (-4.8, 0.0), 4: (-5.6, 0.0)})
    world.game.play_mode = "PlayOn"
    run(world, 0.1)
    assert called(world) == []
    world.player("left", 4).carry((-5.3, 0.0, 0.34), radians(0.0))
    world.step()
    assert called(world) == [(FoulType.TOUCHING, 4)]
    x, y, _ = world.player("left", 4).place
    assert hypot(x + 5.3, y) == pytest.approx(0.4, abs=0.05)


def test_monitor_is_told_each_foul_once():
    world = world_with(AT_KICK_OFF)
    talk = MonitorConversation(world, Trainer(world, lambda: None), Faults(), Random(0))
    world.game.play_mode = "PlayOn"
    fouls = []
    for _ in range(20):
        world.step()
        if text := talk.message():
            fouls += [
                foul
                for event in Codec().feed(frame(text.encode()))
                if event.game
                for foul in event.game.fouls
            ]
    assert [(foul.index, foul.type, foul.team) for foul in fouls] == [(1, 2, 1), (2, 2, 1)]
    assert [foul.number for foul in fouls] == [number for _, number in called(world)]
