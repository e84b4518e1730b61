# SPDX-License-Identifier: Apache-2.0
"""A transport that also writes down what comes, so that transport ``replay`` can play it."""

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.recording import RecordingTransport


class Tape(RecordingTransport):
    """The bytes that come go to ``path``, their times to ``<name>.idx`` (see ``Replay``)."""

    def __init__(self, inner: Transport, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._offset = 0
        super().__init__(inner, path)

    @override
    def _make_files(self, path: Path) -> tuple[Path, ...]:
        free = _free(path)
        index = free.with_suffix(".idx")
        self._data = self._files.enter_context(free.open("xb"))
        self._index = self._files.enter_context(index.open("x", encoding="ascii"))
        return free, index

    @override
    def _write(self, data: bytes) -> None:
        self._index.write(f"{self._clock():.6f} {self._offset} {len(data)}\n")
        self._data.write(data)
        self._offset += len(data)


def _free(path: Path) -> Path:
    """The path, or the first with a number after its name that does not exist."""
    if path.suffix == ".idx":
        raise ValueError(".idx is the suffix of its index")
    paths = (path if number == 1 else path.with_stem(f"{path.stem}-{number}") for number in count(1))
    return next(one for one in paths if not (one.exists() or one.with_suffix(".idx").exists()))
