# SPDX-License-Identifier: Apache-2.0
"""A transport that passes another one through and writes what comes into files."""

import logging
import threading
from abc import abstractmethod
from contextlib import ExitStack, suppress
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.link.transports.base import Transport


class RecordingTransport(Transport):
    """Passes ``inner`` through; a subclass says which files there are and how they are written.

    Nothing is overwritten: where ``path`` exists, ``<name>-2`` is made, and so on: one for each connection. A disk
    that is full ends the writing, not the link. Of a connection on which nothing came no file is left.

    Raises:
        ConfigError: the files cannot be made; ``inner`` is closed then.
    """

    def __init__(self, inner: Transport, path: Path) -> None:
        self.peer = inner.peer
        self._inner = inner
        self._files = ExitStack()
        self._lock = threading.Lock()  # close comes from any thread
        self._empty = True
        try:
            self._made = self._make_files(path)
        except (OSError, ValueError) as error:
            self._files.close()
            inner.close()
            raise ConfigError(f"recording {path}: {error}") from error
        self.path = self._made[0]
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

    @abstractmethod
    def _make_files(self, path: Path) -> tuple[Path, ...]:
        """Open the files, in ``self._files``; returns their paths, first the one that was free.

        Raises:
            OSError: a file cannot be made.
            ValueError: the path cannot be used.
        """

    @abstractmethod
    def _write(self, data: bytes) -> None:
        """Write what came.

        Raises:
            OSError: the disk is full, or gone.
        """

    def _keep(self, data: bytes) -> None:
        if not self._open:
            return
        self._empty = False
        try:
            self._write(data)
        except OSError as error:
            logging.getLogger(__name__).warning("recording %s ends here: %s", self.path, error)
            self._open = False
            with suppress(OSError):  # the same once more
                self._files.close()

    def _end(self) -> None:
        if self._open:
            self._open = False
            try:
                self._files.close()
            except OSError as error:  # what was left to write
                logging.getLogger(__name__).warning("recording %s lacks its end: %s", self.path, error)
            if self._empty:  # a peer that refuses is tried again for ever
                for path in self._made:
                    with suppress(OSError):  # somebody else took it away
                        path.unlink()
