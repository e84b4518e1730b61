# SPDX-License-Identifier: Apache-2.0
"""Reads the whole records of a recording whose recorder was killed: MCAP files that just end, folders without metadata.

rosbags 0.11.9 refuses such a file, so one function of its reader is replaced here.
"""

import struct
from collections.abc import Iterable, Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import BinaryIO, Final

from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_mcap import ChunkInfo, McapReader
from typing_extensions import override

from embodiment_bridge.bags.unpacking import METADATA
from embodiment_bridge.core.errors import ConfigError

MAGIC: Final = b"\x89MCAP0\r\n"
FOOTER: Final = b"\x02" + struct.pack("<Q", 20) + bytes(20) + MAGIC  # of a file without summary
RECORD: Final = struct.Struct("<BQ")
# First and last time, size, checksum, length of the name of the compression
CHUNK: Final = struct.Struct("<QQQII")
LONGEST_NAME: Final = 32  # of a compression
BLOCK: Final = 1 << 20  # bytes
_MESSAGE: Final = 0x05
_CHUNK: Final = 0x06
_DATA_END: Final = 0x0F


def playable(path: Path) -> Path:
    """Return what of a recording can be read: ``path``, or the one file in a folder that has no metadata.

    Raises:
        ConfigError: there are several.
    """
    if not path.is_dir() or (path / METADATA).exists():
        return path
    files = sorted(file for ending in ("mcap", "db3") for file in path.glob(f"*.{ending}"))
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise ConfigError(
            f"there is no {METADATA} in it, as its recorder was killed; each of its files plays: {names}"
        )
    return files[0] if files else path


def is_cut(path: Path) -> bool:
    """Whether a file of MCAP, or one in a folder, just ends."""
    if path.is_dir():
        return any(map(is_cut, path.glob("*.mcap")))
    if path.suffix != ".mcap" or not path.is_file():
        return False
    with path.open("rb") as file:
        return not _has_end(file)


def _has_end(file: BinaryIO) -> bool:
    file.seek(max(file.seek(0, 2) - len(MAGIC), 0))
    return file.read() == MAGIC


def _written(file: BinaryIO) -> int:
    """Return the size without the zeros at the end: room that the file system made and had not written yet."""
    end = file.seek(0, 2)
    while end:
        begin = max(end - BLOCK, 0)
        file.seek(begin)
        if rest := file.read(end - begin).rstrip(b"\0"):
            return begin + len(rest)
        end = begin
    return 0


def _records(file: BinaryIO) -> Iterator[tuple[int, int, int]]:
    """Yield kind, begin and end of each whole record of the data."""
    size, begin = _written(file), len(MAGIC)
    while begin + RECORD.size <= size:
        file.seek(begin)
        kind, length = RECORD.unpack(file.read(RECORD.size))
        end = begin + RECORD.size + length
        if not 0 < kind < _DATA_END or end > size:
            return
        yield kind, begin, end
        begin = end


class _Finished(RawIOBase):
    """Reads a file of MCAP up to its last whole record, and then the end that it lacks."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = max((end for _, _, end in _records(file)), default=0)
        self._at = 0

    @override
    def readable(self) -> bool:
        return True

    @override
    def seekable(self) -> bool:
        return True

    @override
    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size + len(FOOTER))[whence]
        return self._at

    @override
    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        left = self._size - self._at
        if left > 0:
            self._file.seek(self._at)
            data = self._file.read(min(left, len(buffer)))
        else:
            data = FOOTER[-left : len(buffer) - left]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    @override
    def close(self) -> None:
        super().close()
        self._file.close()


def _chunk_of(file: BinaryIO, begin: int, end: int, channels: Iterable[int]) -> ChunkInfo:
    """Describe the chunk there, which may have messages of any channel."""
    file.seek(begin + RECORD.size)
    first, last, size, _, name = CHUNK.unpack(file.read(CHUNK.size))
    compression = file.read(min(name, LONGEST_NAME)).decode()
    (packed,) = struct.unpack("<Q", file.read(8))
    return ChunkInfo(
        first, last, begin, end - begin, {}, 0, compression, packed, size, dict.fromkeys(channels, 1)
    )


_open_whole = McapReader._open


def _open(self: McapReader) -> None:
    file = self.bio
    if file is None:
        return
    cut = not _has_end(file)
    if cut:
        self.bio = file = BufferedReader(_Finished(file))
    file.seek(0)
    _open_whole(self)
    if cut and not self.metadata.message_count:
        raise ReaderError("it just ends, before any whole message")
    records = [] if self.chunks else list(_records(file))
    if all(kind != _MESSAGE for kind, _, _ in records):  # in chunks the messages need not be in order
        self.chunks += [
            _chunk_of(file, begin, end, self.channels) for kind, begin, end in records if kind == _CHUNK
        ]


McapReader._open = _open  # type: ignore[method-assign]
