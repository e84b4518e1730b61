# SPDX-License-Identifier: Apache-2.0
"""A transport that also writes down what comes, so that transport ``replay`` can play it."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.link.transports.base import Transport


class Tape(Transport):
    """Passes ``inner`` through. The bytes that come go to ``path``, their times to ``<name>.idx`` (see ``Replay``).

    Nothing is overwritten: where ``path`` exists, ``<name>-2`` is made, and so on: one for each connection. A disk
    that is full ends the writing, not the link.

    Raises:
        ConfigError: the files cannot be made; ``inner`` is closed then.
    """

    def __init__(self, inner: Transport, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.peer = inner.peer
        self._inner = inner
        self._clock = clock
        self._lock = threading.Lock()  # close comes from any thread
        self._offset = 0
        self._files = ExitStack()
        try:
            self.path = _free(path)
            self._data = self._files.enter_context(self.path.open("xb"))
            index = self.path.with_suffix(".idx").open("x", encoding="ascii")
            self._index = self._files.enter_context(index)
        except (OSError, ValueError) as error:
            self._files.close()
            inner.close()
            raise ConfigError(f"recording {path}: {error}") from error
        self._open = True

    @override
    def read(self, timeout: float) -> bytes:
        data = self._inner.read(timeout)
        if data:
            with self._lock:
                self._keep(data)
        return data

    @override
    def write(self, data: bytes) -> None:
        self._inner.write(data)

    @override
    def close(self) -> None:
        self._inner.close()
        with self._lock:
            self._end()

    def _keep(self, data: bytes) -> None:
        if not self._open:
            return
        try:
            self._index.write(f"{self._clock():.6f} {self._offset} {len(data)}\n")
            self._data.write(data)
        except OSError as error:
            logging.getLogger(__name__).warning("recording %s ends here: %s", self.path, error)
            self._open = False
            with suppress(OSError):  # the same once more
                self._files.close()
        self._offset += len(data)

    def _end(self) -> None:
        if self._open:
            self._open = False
            try:
                self._files.close()
            except OSError as error:  # what was left to write
                logging.getLogger(__name__).warning("recording %s lacks its end: %s", self.path, error)


def _free(path: Path) -> Path:
    """The path, or the first with a number after its name that does not exist."""
    if path.suffix == ".idx":
        raise ValueError(".idx is the suffix of its index")
    paths = (path if number == 1 else path.with_stem(f"{path.stem}-{number}") for number in count(1))
    return next(one for one in paths if not (one.exists() or one.with_suffix(".idx").exists()))
