# SPDX-License-Identifier: Apache-2.0
"""Recorded traffic, whole, in chunks and damaged."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.events import Heard, Percept
from embodiment_bridge.protocols.rcsssmj.percept_reader import Dialect, PerceptReader
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.wire.codec import Malformed
from embodiment_bridge.wire.framing import Framer, frame

HERE = Path(__file__).parent
T1 = HERE.parents[1] / "data/rcsssmj/short_agent_t1.bin"
K1 = HERE.parents[1] / "data/rcsssmj/agent_k1_3.bin"
ANT = HERE.parents[1] / "data/rcsssmj/agent_ant.bin"
LONG = HERE.parents[3] / "shared/data/rcsssmj/agent_t1_blue1.bin"

needs_long = pytest.mark.skipif(not LONG.exists(), reason="the long recording is not here")
RECORDINGS = [
    pytest.param(T1, 60, "T1", id="T1"),
    pytest.param(K1, 93, "K1", id="K1"),
    pytest.param(ANT, 40, "ant", id="ant"),
    pytest.param(LONG, 481, "T1", id="long T1", marks=needs_long),
]


def payloads(path: Path) -> list[bytes]:
    return [found.payload for found in Framer().feed(path.read_bytes())]


def by_lists(payload: bytes) -> list[object]:
    return PerceptReader(Dialect()).read_lists(0, payload)


@pytest.mark.parametrize(("path", "count", "robot"), RECORDINGS)
def test_every_frame_is_a_whole_percept(path, count, robot):
    codec = Codec()
    events = codec.feed(path.read_bytes())
    assert codec.close() == []
    assert len(events) == count
    perceptors = tuple(joint.perceptor for joint in ROBOTS[robot].joints)
    for event in events:
        assert isinstance(event, Percept)
        assert event.joints.names == perceptors
        assert event.game_state.score_left == 0
        assert [x.name for x in event.orientations] == ["torso_quat"]
        assert [x.name for x in event.positions] == ["torso_pos"]
        assert [x.name for x in event.gyros] == ["torso_gyro"]
        assert [x.name for x in event.accelerometers] == ["torso_acc"]
    assert all(a.time_s < b.time_s for a, b in pairwise(events))
    assert sum(event.vision is not None for event in events) == pytest.approx(count / 2, abs=2)


@pytest.mark.parametrize(("path", "count", "robot"), RECORDINGS)
def test_patterns_read_what_lists_read(path, count, robot):
    reader = PerceptReader(Dialect())
    for payload in payloads(path):
        fields = reader.quick(payload.decode())
        assert fields is not None
        assert [reader.percept(0, fields)] == by_lists(payload)


def test_a_known_frame():
    percept = Codec().feed(T1.read_bytes())[1]
    assert percept.offset == 945
    assert percept.time_s == 4.03
    assert percept.positions[0].z_m == 0.672
    assert percept.joints.velocities_deg_s[3] == -0.03
    assert percept.vision.points[-1].name == "B"
    assert percept.vision.points[-1].distance_m == 21.12
    assert percept.vision.points[-1].elevation_deg == -2.67


@needs_long
def test_what_was_said_is_heard():
    events = Codec().feed(LONG.read_bytes())
    heard = [said for event in events for microphone in event.microphones for said in microphone.heard]
    assert heard == [Heard(-7.0, b"0123456789")]
    assert {(agent.team, agent.number) for e in events if e.vision for agent in e.vision.agents} == {
        ("teamRed", 1)
    }


@pytest.mark.parametrize("size", [1, 3, 1000, 4096])
def test_chunks_make_no_difference(size):
    stream = T1.read_bytes()[:20_000]
    codec = Codec()
    chunked = [event for i in range(0, len(stream), size) for event in codec.feed(stream[i : i + size])]
    whole = Codec()
    assert chunked == whole.feed(stream)
    assert codec.close() == whole.close() != []


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Damage ``data`` once to five times as lines, disks and people do."""
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(damaged) + 1)
        end = min(len(damaged), at + rng.choice((1, 1, 2, 30)))
        piece = rng.choice(
            (
                b"",
                bytes(rng.choices(range(256), k=3)),
                b"(",
                b")",
                b" ",
                b"\t",
                b"_",
                b"nan",
                bytes(damaged[at:end]) * 2,
            )
        )
        damaged[at:end] = piece
    return bytes(damaged)


def test_damaged_frames_never_raise_and_the_next_good_one_is_read():
    rng = random.Random(20)
    good = payloads(T1) + payloads(K1)
    codec = Codec()
    codec.feed(frame(good[0]))
    kinds = set()
    for _ in range(10_000):
        damaged = mutate(rng.choice(good), rng) or b" "
        events = codec.feed(frame(damaged))
        assert events
        kinds.update(type(event).__name__ for event in events)
    assert {"Percept", "Malformed", "Unknown"} <= kinds
    (percept,) = codec.feed(frame(good[5]))
    assert percept.joints.names == by_lists(good[5])[0].joints.names


def test_damaged_streams_never_raise():
    rng = random.Random(22)
    stream = K1.read_bytes()[:12_000]
    malformed = 0
    for _ in range(300):
        codec = Codec()
        damaged = mutate(stream, rng)
        middle = rng.randrange(len(damaged))
        events = codec.feed(damaged[:middle]) + codec.feed(damaged[middle:])
        codec.close()
        malformed += any(isinstance(event, Malformed) for event in events)
    assert malformed > 50
