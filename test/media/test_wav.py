# SPDX-License-Identifier: Apache-2.0
"""WAV files of servers that make reading them long."""

import struct

import pytest
from sound_stage import Clock, write_wav

from embodiment_bridge.media.files.wav import HEADER_READS, envelope, open_wav, wav_length
from embodiment_bridge.media.outputs.output import UNKNOWN_S, NullOutput


def with_chunks(path, chunks):
    """A second of sound behind so many empty chunks."""
    data = write_wav(path, 1.0).read_bytes()
    body = data[:12] + b"JUNK\0\0\0\0" * chunks + data[12:]
    path.write_bytes(body[:4] + struct.pack("<L", len(body) - 8) + body[8:])
    return path


@pytest.mark.parametrize(("chunks", "length"), [(0, 1.0), (100, 1.0), (HEADER_READS, None), (100_000, None)])
def test_the_chunks_before_the_samples_have_a_bound(tmp_path, chunks, length):
    """50 MiB of empty ones took 14 s."""
    path = with_chunks(tmp_path / "a.wav", chunks)
    assert wav_length(path) == length
    assert envelope(path) == ()  # it is silent, or no WAV


def test_samples_may_be_read_in_many_pieces(tmp_path):
    with open_wav(write_wav(tmp_path / "a.wav", 1.0)) as file:
        pieces = [file.readframes(2) for _ in range(4 * HEADER_READS)]
    assert {len(piece) for piece in pieces} == {4}


def test_an_output_without_a_device_does_not_look_into_files(tmp_path):
    """It plays on the thread of the node; the loader, which has threads of its own, has looked for the length."""
    output = NullOutput(Clock())
    path = str(write_wav(tmp_path / "a.wav", 1.0))
    output.play("1", path, volume=1.0, fade=0.0, length=None)
    output.play("2", path, volume=1.0, fade=0.0, length=1.0)
    assert [event.length for event in output.events()] == [UNKNOWN_S, 1.0]
