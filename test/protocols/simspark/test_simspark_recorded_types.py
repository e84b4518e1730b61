# SPDX-License-Identifier: Apache-2.0
"""What players of three types were told by the real rcssserver3d, the stand-in tells too, and the converter takes."""

import gzip
import re
from pathlib import Path
from random import Random

import pytest
from nao_stage import STAMP, Nao

from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.standins.simspark.agents import AgentConversation, Faults
from embodiment_bridge.standins.simspark.world import PLAY_MODES, World
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.framing import Framer, frame

LARGE = Path(__file__).parents[4] / "shared/data/simspark_real"
NAMED = re.compile(r"\((GYR|ACC|HJ) \(n (\w+)\)")
HEARD = re.compile(r"\(hear (\S+) \d+\.\d\d (?:self|-?\d+\.\d\d) (\S+)\)")
MODE = re.compile(r"\(pm (\w+)\)")
TYPES = {"agent_type0_crowd_hear": 0, "agent_type1_22modes": 1, "agent_type4_crowd_hear": 4}
FEW = 60  # percepts that are decoded: enough for a picture, a join and a voice


def recorded(name):
    path = LARGE / f"{name}.bin.gz"
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
