# SPDX-License-Identifier: Apache-2.0
"""A recording played as a link."""

import pytest

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.link.transports.tape import CHUNK, Replay


class Clock:
    """Time that goes on only when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "agent.bin"
    path.write_bytes(b"aaaabbcccccc")
    path.with_suffix(".idx").write_text("1.5 0 0\n1.75 4 0\n3.5 6 0\n")
    return path


def test_pieces_come_in_their_own_time(recording) -> None:
    clock = Clock()
    replay = Replay(recording, speed=2.0, clock=clock)
    assert replay.read(0.0) == b"aaaa"
    assert replay.read(0.0) == b""
    clock.now += 0.125
    assert replay.read(0.0) == b"bb"
    clock.now += 0.87
    assert replay.read(0.0) == b""
    clock.now += 0.01
    assert replay.read(0.0) == b"cccccc"
    with pytest.raises(LinkError, match="the recording is over"):
        replay.read(0.0)


def test_without_speed_or_index_it_comes_at_once(recording) -> None:
    assert [Replay(recording, speed=0.0).read(0.0)] == [b"aaaa"]
    recording.with_suffix(".idx").unlink()
    recording.write_bytes(b"x" * (CHUNK + 1))
    replay = Replay(recording)
    assert [len(replay.read(1.0)), len(replay.read(1.0))] == [CHUNK, 1]


def test_writes_are_counted_and_close_ends_it(recording) -> None:
    replay = Replay(recording, clock=Clock())
    replay.write(b"12345")
    assert replay.written == 5
    replay.close()
    for use in (lambda: replay.read(9.0), lambda: replay.write(b"1")):
        with pytest.raises(LinkError, match="closed"):
            use()


@pytest.mark.parametrize("index", ["", "1.5 0\n", "soon 0 0\n", "\xff\n"])
def test_bad_index_is_named(recording, index) -> None:
    recording.with_suffix(".idx").write_bytes(index.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"agent\.(idx|bin)"):
        Replay(recording)


def test_missing_recording_is_named(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"none\.bin"):
        Replay(tmp_path / "none.bin")
