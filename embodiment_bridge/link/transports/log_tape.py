# SPDX-License-Identifier: Apache-2.0
"""A transport that also writes a log of what a monitor port sends, one message per line, as the servers do."""

import gzip
from itertools import count
from pathlib import Path
from typing import IO, Final

from typing_extensions import override

from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.recording import RecordingTransport
from embodiment_bridge.wire.framing import Frame, Framer

PACKED: Final = ".gz"
LEVEL: Final = (
    3  # of gzip: higher levels take several times as long on the link's thread for a tenth of the size
)


class LogTape(RecordingTransport):
    """The messages that come go to ``path``, packed by gzip where that ends in ``.gz``."""

    def __init__(self, inner: Transport, path: Path) -> None:
        self._framer = Framer()
        super().__init__(inner, path)

    @override
    def _make_files(self, path: Path) -> tuple[Path, ...]:
        free = _free(path)
        self._file: IO[bytes] | gzip.GzipFile = self._files.enter_context(free.open("xb"))
        if free.suffix == PACKED:
            packed = gzip.GzipFile(free.stem, "wb", LEVEL, self._file)
            self._files.push(packed)
            self._file = packed
        return (free,)

    @override
    def _write(self, data: bytes) -> None:
        for one in self._framer.feed(data):
            if isinstance(one, Frame):
                self._file.write(one.payload.replace(b"\n", b" ") + b"\n")


def _free(path: Path) -> Path:
    """The path, or the first with a number after its name that does not exist: ``game-2.log.gz``."""
    name, dot, endings = path.name.partition(".")
    paths = (path if number == 1 else path.with_name(f"{name}-{number}{dot}{endings}") for number in count(1))
    return next(one for one in paths if not one.exists())
