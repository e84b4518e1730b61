# SPDX-License-Identifier: Apache-2.0
"""What a tape has written plays as it came."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.link.transports.tape import Replay, Tape


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
