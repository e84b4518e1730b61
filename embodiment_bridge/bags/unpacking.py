# SPDX-License-Identifier: Apache-2.0
"""Limits what rosbags unpacks, reads and keeps in memory: some kB of a file can claim, or become, gigabytes.

rosbags 0.11.9 has no limits of its own, and no place for them, so functions of its modules are replaced here.
"""

import os
import sys
from collections.abc import Collection, Iterator
from io import BufferedReader, BytesIO
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import BinaryIO, Final

import apsw
import lz4.frame  # type: ignore[import-untyped]
from rosbags.rosbag2 import Reader, reader, storage_mcap
from rosbags.rosbag2.errors import ReaderError
from typing_extensions import override

from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_text

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST: Final = 128 << 20  # bytes of a chunk, a message, or another record; recorders make chunks of some MB
MOST_AT_ONCE: Final = 512 << 20  # bytes of chunks of the same time, which are in memory together
LEAST_FILE: Final = 256 << 20  # bytes that a file which is compressed as a whole may have in any case
TIMES: Final = 200  # as large as the compressed one such a file may be beyond that
METADATA: Final = "metadata.yaml"

_read_exact = storage_mcap.read_exact


def check_files(path: Path) -> None:
    """Refuse a recording with pipes or devices, which could block or never end, or with unbounded metadata.

    Raises:
        ConfigError: the text names the file.
    """
    files = [path]
    if path.is_dir():
        content = safe_yaml.load(read_text(path / METADATA))
        information = content.get("rosbag2_bagfile_information") if isinstance(content, dict) else None
        names = information.get("relative_file_paths") if isinstance(information, dict) else None
        files = [path / PurePath(str(name)).name for name in names] if isinstance(names, list) else []
    for file in files:
        if file.exists() and not file.is_file():
            raise ConfigError(f"{file} is not a file")


def limit(opened: Reader) -> None:
    """Limit the messages of databases, and refuse chunks of which too many would be in memory together.

    Raises:
        ReaderError: the text has the size and the limit.
    """
    storage = opened.storage
    for one in storage.storages if isinstance(storage, reader.DirectoryReader) else [storage]:
        if isinstance(one, storage_mcap.McapReader):
            most = max(_sizes_together(one.chunks), default=0)
            if most > MOST_AT_ONCE:
                raise ReaderError(f"chunks of the same time have {most} bytes; {MOST_AT_ONCE} are the most")
        database = getattr(one, "dbconn", None)
        if isinstance(database, apsw.Connection):
            database.limit(apsw.SQLITE_LIMIT_LENGTH, MOST)


def _sizes_together(chunks: Collection[storage_mcap.ChunkInfo]) -> Iterator[int]:
    """The bytes of the chunks that are in memory together, after each begin and end of one."""
    # At the same time the begin comes first: rosbags reads a chunk before it drops the one that ends then.
    changes = [(chunk.message_start_time, 0, chunk.uncompressed_size) for chunk in chunks]
    changes += [(chunk.message_end_time, 1, -chunk.uncompressed_size) for chunk in chunks]
    size = 0
    for _, _, change in sorted(changes):
        size += change
        yield size


def _exact(bio: BinaryIO, size: int) -> bytes:
    if size > MOST:
        raise ReaderError(f"a record of {size} bytes is larger than the limit of {MOST}")
    return _read_exact(bio, size)


def _unpacked(file: zstd.ZstdFile, most: int) -> bytes:
    """The content of a compressed file, which may have ``most`` bytes, within the limit of all."""
    with file:
        data = file.read(min(most, MOST) + 1)
    if len(data) > MOST:
        raise ReaderError(f"what has more than {MOST} bytes unpacked is not read")
    return data


class _File(zstd.ZstdFile):
    """A compressed file that is unpacked as a whole, onto the disk."""

    def __init__(self, packed: BufferedReader, mode: str) -> None:
        super().__init__(packed, "rb")
        self._most = max(LEAST_FILE, TIMES * os.fstat(packed.fileno()).st_size)

    @override
    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > self._most:
            raise ReaderError(
                f"a compressed file has more than {self._most} bytes unpacked: a recording that is really as large can "
                "be unpacked with `zstd -d` (then its metadata.yaml has compression_mode: '')"
            )
        return data


vars(storage_mcap)["read_exact"] = _exact
storage_mcap.DECOMPRESSORS["zstd"] = lambda data, size: _unpacked(zstd.open(BytesIO(data)), size)
storage_mcap.DECOMPRESSORS["lz4"] = lambda data, size: _unpacked(lz4.frame.open(BytesIO(data)), size)
vars(reader)["zstd"] = SimpleNamespace(
    decompress=lambda data: _unpacked(zstd.open(BytesIO(data)), MOST),
    open=_File,
)
