# SPDX-License-Identifier: Apache-2.0
"""A Nao of the real rcssserver3d is told to have fallen when it has, and not while it walks."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from embodiment_bridge.srv import Beam
from nao_stage import Nao

from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.wire.framing import frame

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
