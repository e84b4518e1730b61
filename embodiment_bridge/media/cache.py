# SPDX-License-Identifier: Apache-2.0
"""A folder of media that never holds more than so many bytes; what was used longest ago goes first."""

import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError

UNFINISHED = ".part"
STALE_S = 3600.0  # an unfinished file of this age is nobody's any more


def key_of(*parts: object) -> str:
    """A file name for what the parts describe."""
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()[:40]


class MediaCache:
    """Files by key. May be used by several threads and processes.

    A file that is played may be evicted: who has it open keeps it.

    Raises:
        ConfigError: the folder cannot be used.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._guess: int | None = (
            None  # bytes that are in it: looking at every file each time would take long
        )
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the media cache {folder} cannot be used: {error.strerror}") from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(f"the media cache {folder} cannot be written")

    def find(self, name: str) -> Path | None:
        """The file of that name, which counts as used now."""
        path = self.folder / name
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    @contextmanager
    def adding(self, name: str) -> Iterator[Path]:
        """A path to write to; the file is in the cache, whole, when the block ends without an error."""
        handle, text = tempfile.mkstemp(suffix=UNFINISHED, dir=self.folder)
        os.close(handle)
        path = Path(text)
        try:
            yield path
            path.replace(self.folder / name)
        finally:
            path.unlink(missing_ok=True)
        self._evict(name)

    def size(self) -> int:
        """Bytes in it."""
        return sum(size for _, size, _ in self._files())

    def _files(self) -> list[tuple[float, int, Path]]:
        found = []
        for path in self.folder.iterdir():
            try:
                status = path.stat()
            except OSError:  # another process has just taken it
                continue
            found.append((status.st_mtime, status.st_size, path))
        return sorted(found)

    def _evict(self, newest: str) -> None:
        with self._lock:
            if self._guess is not None:
                self._guess += _size(self.folder / newest)
                if self._guess <= self.max_bytes:
                    return
            files = self._files()
            total = sum(size for _, size, _ in files)
            now = max((at for at, _, _ in files), default=0.0)
            for at, size, path in files:
                unfinished = path.name.endswith(UNFINISHED)
                if (unfinished and now - at < STALE_S) or (not unfinished and total <= self.max_bytes):
                    continue
                if path.name != newest:
                    path.unlink(missing_ok=True)
                    total -= size
            self._guess = total


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # renamed or taken already
        return 0
