# SPDX-License-Identifier: Apache-2.0
"""A tape writes what comes, and plays it as it came."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.link.transports.tape import CHUNK, Replay, Tape


class Peer:
    """Gives pieces, at 0.5 s from each other."""

    peer = "test://peer"

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.now = 7.0
        self.written = b""
        self.closed = False

    def clock(self) -> float:
        return self.now

    def read(self, timeout: float) -> bytes:
        if not self.pieces:
            raise LinkError("over")
        self.now += 0.5
        return self.pieces.pop(0)

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True


def test_it_passes_all_through_and_plays_as_it_came(tmp_path) -> None:
    peer = Peer(b"abc", b"", b"d")
    tape = Tape(peer, tmp_path / "game.bin", clock=peer.clock)
    assert tape.peer == "test://peer"
    assert [tape.read(1.0) for _ in range(3)] == [b"abc", b"", b"d"]
    with pytest.raises(LinkError):
        tape.read(1.0)
    tape.write(b"xy")
    assert peer.written == b"xy"
    tape.close()
    tape.close()
    assert peer.closed
    clock = Peer()
    replay = Replay(tmp_path / "game.bin", clock=clock.clock)
    assert replay.read(0.0) == b"abc"
    clock.now += 0.99
    assert replay.read(0.0) == b""
    clock.now += 0.02
    assert replay.read(0.0) == b"d"


def test_each_connection_has_files_of_its_own(tmp_path) -> None:
    for text in (b"first", b"second", b"third"):
        tape = Tape(Peer(text), tmp_path / "game.bin")
        tape.read(1.0)
        tape.close()
    read = {path.name: path.read_bytes() for path in tmp_path.glob("*.bin")}
    assert read == {"game.bin": b"first", "game-2.bin": b"second", "game-3.bin": b"third"}
    assert Replay(tmp_path / "game-2.bin").read(0.0) == b"second"


def test_what_comes_after_the_end_is_not_written(tmp_path) -> None:
    tape = Tape(Peer(b"early", b"late"), tmp_path / "game.bin")
    assert tape.read(1.0) == b"early"
    tape.close()
    assert tape.read(1.0) == b"late"
    assert (tmp_path / "game.bin").read_bytes() == b"early"


@pytest.mark.fault(
    "disk full",
    body=("rcsssmj", "simspark", "maeden"),
    reaction="ends the recording, with a line in the log; the link goes on",
)
def test_full_disk_ends_the_tape_and_not_the_link(tmp_path, caplog) -> None:
    tape = Tape(Peer(b"abc", b"d"), tmp_path / "game.bin")
    tape._index.close()
    tape._index = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115 - the tape closes it
    tape._files.enter_context(tape._index)
    assert [tape.read(1.0), tape.read(1.0)] == [b"abc", b"d"]
    assert ["No space left" in record.message for record in caplog.records] == [True]
    tape.close()


@pytest.mark.parametrize("name", ["none/game.bin", "game.idx"])
def test_place_that_cannot_be_had(name, tmp_path) -> None:
    peer = Peer()
    with pytest.raises(ConfigError, match=r"recording .*game"):
        Tape(peer, tmp_path / name)
    assert peer.closed


def test_of_a_connection_on_which_nothing_came_no_file_is_left(tmp_path) -> None:
    for _ in range(3):
        peer = Peer(b"")
        tape = Tape(peer, tmp_path / "game.bin", clock=peer.clock)
        tape.read(1.0)
        tape.close()
    assert list(tmp_path.iterdir()) == []
    full = Tape(Peer(b"abc"), tmp_path / "game.bin")
    full.read(1.0)
    full.close()
    full.close()
    assert {path.name for path in tmp_path.iterdir()} == {"game.bin", "game.idx"}


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
