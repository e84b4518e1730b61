# SPDX-License-Identifier: Apache-2.0
"""What the real rcssserver3d sent is understood to the last list, and players of three types are told it."""

import gzip
import math
import re
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from nao_stage import STAMP, Nao

from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.protocols.simspark.events import Percept
from embodiment_bridge.protocols.simspark.robots import ROBOTS
from embodiment_bridge.standins.simspark.agents import AgentConversation, Faults
from embodiment_bridge.standins.simspark.world import PLAY_MODES, World
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.framing import Framer, frame

ROOT = Path(__file__).parents[3]
SMALL = ROOT / "test/data/simspark"
LARGE = ROOT.parent / "shared/data/simspark"


def decoded(path, size=1 << 30):
    if not path.is_file():
        pytest.skip("the large recordings are not here")
    data, codec = path.read_bytes(), Codec()
    return [
        event for at in range(0, len(data), size) for event in codec.feed(data[at : at + size])
    ] + codec.close()


@pytest.mark.parametrize(
    ("path", "count", "robot"),
    [
        (SMALL / "short_agent_nao.bin", 40, "nao"),
        (SMALL / "short_agent_toe.bin", 40, "nao4"),
        (LARGE / "agent_alpha1_nao.bin", 1393, "nao"),
    ],
    ids=lambda value: getattr(value, "stem", ""),
)
def test_recording_is_percepts_and_nothing_else(path, count, robot):
    found = decoded(path)
    assert {type(event) for event in found} == {Percept}
    assert len(found) == count
    names = tuple(joint.name for joint in ROBOTS[robot].joints)
    assert {event.joints.names for event in found} == {names}
    times = [event.time_s for event in found]
    assert times == sorted(times)
    assert [event.game_state.side for event in found if event.game_state.side] == [
        "right" if robot == "nao4" else "left"
    ]


@pytest.mark.parametrize(
    ("begin", "end", "place", "heading"),
    [(3.4, 4.4, (-14.2, 9.2), 0.0), (12.0, 12.4, (-2.0, -2.0), 4.0), (15.0, 30.0, (-2.0, 2.0), 180.0)],
)
def test_place_is_found_where_the_trainer_put_the_robot(begin, end, place, heading):
    nao = Nao(team="alpha", number=1)
    states = [nao.converter.body_state(event) for event in decoded(LARGE / "agent_alpha1_nao.bin")]
    found = [state for state in states if state is not None and begin < state.time < end]
    assert len(found) > 15
    for state in found:
        assert state.has_base
        assert state.base_position[:2] == pytest.approx(place, abs=0.06)
        assert state.base_position[2] == pytest.approx(0.39, abs=0.05)
        off = wrap_angle(state.yaw - math.radians(heading))
        assert off == pytest.approx(0.0, abs=math.radians(0.6))


def test_recording_in_small_chunks_gives_the_same():
    path = SMALL / "short_agent_toe.bin"
    assert decoded(path, 7) == decoded(path)


def test_every_third_percept_has_a_picture_with_lines():
    found = decoded(SMALL / "short_agent_nao.bin")
    seeing = [number for number, event in enumerate(found) if event.vision is not None]
    assert {b - a for a, b in pairwise(seeing)} == {3}
    assert len(found[seeing[0]].vision.lines) == 8


REAL = Path(__file__).parents[4] / "shared/data/simspark_real"
NAMED = re.compile(r"\((GYR|ACC|HJ) \(n (\w+)\)")
HEARD = re.compile(r"\(hear (\S+) \d+\.\d\d (?:self|-?\d+\.\d\d) (\S+)\)")
MODE = re.compile(r"\(pm (\w+)\)")
TYPES = {"agent_type0_crowd_hear": 0, "agent_type1_22modes": 1, "agent_type4_crowd_hear": 4}
FEW = 60  # percepts that are decoded: enough for a picture, a join and a voice


def recorded(name):
    path = REAL / f"{name}.bin.gz"
    if not path.is_file():
        pytest.skip("the large recordings are not here")
    return [found.payload.decode() for found in Framer().feed(gzip.decompress(path.read_bytes()))]


@pytest.mark.parametrize(("name", "kind"), TYPES.items())
def test_stand_in_has_the_sensors_of_the_recorded_type_in_their_order(name, kind):
    real = recorded(name)[-1]
    world = World(noise=False)
    player = AgentConversation(world, Faults(), Random(0), true_pose=False)
    player.hear(f"(scene rsg/agent/nao/nao_hetero.rsg {kind})".encode())
    world.step()
    assert NAMED.findall(player.message()) == NAMED.findall(real)


def test_stand_in_knows_the_play_modes_of_the_recording_and_a_player_is_told_them():
    modes = dict.fromkeys(MODE.findall("".join(recorded("agent_type1_22modes"))))
    assert set(modes) == set(PLAY_MODES)
    world = World(noise=False)
    player = AgentConversation(world, Faults(), Random(0), true_pose=False)
    player.hear(b"(scene rsg/agent/nao/nao.rsg)")
    for mode in modes:
        world.game.play_mode = mode
        assert MODE.findall(player.message()) == [mode]


@pytest.mark.parametrize(("name", "kind"), TYPES.items())
def test_converter_takes_all_of_the_recording(name, kind):
    real = recorded(name)
    first = next(at for at, text in enumerate(real) if "(unum" in text)
    heard = next(at for at, text in enumerate(real) if HEARD.search(text))
    body = "nao_toe.yaml" if kind == 4 else "nao.yaml"
    nao, codec = Nao(body=body, robot=f"nao{kind}"), Codec()
    for text in [*real[first : first + FEW], real[heard]]:
        for event in codec.feed(frame(text.encode())):
            assert not isinstance(event, Malformed | Unknown)
            cycle = Cycle(event, nao.converter.body_state(event))
            assert cycle.state is not None
            nao.told += nao.converter.messages(cycle, STAMP)
    team, text = HEARD.search(real[heard]).groups()
    assert (nao.last("heard").sender, nao.last("heard").text) == (team, text)
    assert {"joint_states", "imu", "vision", "pose", "game_state"} <= nao.topics()
