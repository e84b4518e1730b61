# SPDX-License-Identifier: Apache-2.0
"""A cache of media files with a size limit, which deletes the least recently used file first."""

import hashlib
import os
import re
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError


def usual_cache() -> Path:
    """Return the default folder of the media cache."""
    return _our_caches() / "media"


def preprocessed_folder() -> Path:
    """Return the default folder for the sounds of `bml preprocess`; a media root of the robot of the same user.

    Absolute, without symbolic links. It is not part of the cache, because a kept document needs its sounds.
    """
    return (_our_caches() / "preprocessed").resolve()


def _our_caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "embodiment_bridge"


UNFINISHED = ".part"
# The names of the files that this module and those that use it write: the folder may have others in it, of its user.
_OURS = re.compile(r"[0-9a-f]{40}(\.(wav|mp3|ogg|tmp|marks\.json))?(\.[a-z0-9_]+\.part)?")
STALE_S = 3600.0  # an unfinished file of this age was left by a process that ended


def key_of(*parts: object) -> str:
    """Return a file name made from the hash of ``parts``."""
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()[:40]


class MediaCache:
    """Stores files by name, a ``key_of`` with or without suffix. Threads and processes may share the folder.

    A file may be evicted while it is played: a process that has it open can still read it. Files of other names are
    never looked at. ``max_bytes`` of inf: only what a process left unfinished is deleted.

    Raises:
        ConfigError: the folder cannot be made or written.
    """

    def __init__(self, folder: Path, max_bytes: float) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        # Bytes of its files as far as this process knows: to look at every file each time would take long.
        self._known_size: int | None = None
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"the media cache {folder} cannot be used: {error.strerror}") from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(f"the media cache {folder} cannot be written")

    def find(self, name: str) -> Path | None:
        """Return the file of that name, or None; it counts as used now."""
        path = self.folder / name
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    @contextmanager
    def adding(self, name: str) -> Iterator[Path]:
        """Yield a path to write to.

        When the block ends without an error, the complete file is moved into the cache.
        """
        with self.unfinished(name) as path:
            yield path
            self.add(path, name)

    @contextmanager
    def unfinished(self, name: str) -> Iterator[Path]:
        """Yield a temporary file in the cache's folder, deleted at the end of the block unless ``add`` has moved it."""
        handle, text = tempfile.mkstemp(prefix=f"{name}.", suffix=UNFINISHED, dir=self.folder)
        os.close(handle)
        path = Path(text)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def add(self, path: Path, name: str) -> None:
        """Move a complete file into the cache, in the place of one that another process made meanwhile."""
        path.replace(self.folder / name)
        self._evict(name)

    def size(self) -> int:
        """Return the size of all files, bytes."""
        return sum(size for _, size, _ in self._files())

    def _files(self) -> list[tuple[float, int, Path]]:
        found = []
        for path in self.folder.iterdir():
            if not _OURS.fullmatch(path.name):
                continue
            try:
                status = path.lstat()
            except OSError:  # another process has just deleted it
                continue
            if stat.S_ISREG(status.st_mode):
                found.append((status.st_mtime, status.st_size, path))
        return sorted(found)

    def _evict(self, newest: str) -> None:
        with self._lock:
            if self._known_size is not None:
                self._known_size += _size(self.folder / newest)
                if self._known_size <= self.max_bytes:
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
            self._known_size = total


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # another process has renamed or deleted it
        return 0
