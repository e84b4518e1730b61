# SPDX-License-Identifier: Apache-2.0
"""Log files of runs, one of JSON lines for each; `embodiment_bridge bml replay` does such a run again."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from embodiment_bridge.core.errors import ConfigError


class RunFiles:
    """Writes into ``folder``, and keeps the ``keep`` newest files of runs that have ended.

    ``warn(text)`` hears of a disk that is full. Several robots may have one folder: the ``namespace`` is in the names.
    """

    def __init__(self, folder: str, keep: int, warn: Callable[[str], None], namespace: str = "/") -> None:
        """Make the folder.

        Raises:
            ConfigError: it cannot be made or written into.
        """
        self._folder = Path(folder).expanduser()
        self._keep = keep
        self._warn = warn
        robot = namespace.strip("/").replace("/", ".")
        self._whose = f"{robot}_" if robot else ""
        self._name = re.compile(rf"\d{{8}}T\d{{6}}_{re.escape(self._whose)}[0-9a-f]+\.jsonl")
        self._open: dict[str, TextIO] = {}
        self._ended: tuple[str, Path] | None = None  # the latest: a fall after it is told in its file
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"parameter log_dir: {folder}: {error.strerror or error}") from error
        self._remove_old()  # also needed by a node that was killed in each of its runs

    def begin(self, run_id: str) -> Callable[[str], None]:
        """Open the file of a run. Returns its writer of lines, which drops them after a failure."""
        began = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        path = self._folder / f"{began}_{self._whose}{run_id}.jsonl"
        try:
            self._open[run_id] = path.open("w", buffering=1, encoding="utf-8")  # a crash leaves all lines
        except OSError as error:
            self._warn(f"no log of run {run_id}: {error}")
        return lambda line: self._write(run_id, line)

    def end(self, run_id: str) -> None:
        """Complete the file of a run that has ended."""
        file = self._open.pop(run_id, None)
        if file is not None:
            self._attempt(run_id, file.close)
            self._ended = run_id, Path(file.name)
            self._remove_old()

    def drop(self, run_id: str) -> None:
        """Delete the file of a run that was refused, and keep the older ones."""
        file = self._open.pop(run_id, None)
        if file is not None:
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                Path(file.name).unlink(missing_ok=True)

    def close(self) -> None:
        """Complete all files."""
        for run_id in list(self._open):
            self.end(run_id)

    def _write(self, run_id: str, line: str) -> None:
        file = self._open.get(run_id)
        if file is None and self._ended is not None and self._ended[0] == run_id:
            self._attempt(run_id, lambda: self._append(line))
        elif file is not None and not self._attempt(run_id, lambda: file.write(line + "\n")):
            del self._open[run_id]
            with suppress(OSError):
                file.close()

    def _append(self, line: str) -> None:
        """Add a line to the file of the run that ended last, unless somebody has removed it."""
        if self._ended is not None and self._ended[1].exists():
            with self._ended[1].open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def _attempt(self, run_id: str, do: Callable[[], object]) -> bool:
        try:
            do()
        except OSError as error:
            self._warn(f"log of run {run_id} is not complete: {error}")
            return False
        return True

    def _remove_old(self) -> None:
        being_written = {Path(file.name) for file in self._open.values()}
        try:
            found = sorted(path for path in self._folder.iterdir() if self._name.fullmatch(path.name))
            ended = [path for path in found if path not in being_written]
            for path in ended[: max(len(ended) - self._keep, 0)]:
                path.unlink(missing_ok=True)
        except OSError as error:
            self._warn(f"old logs stay in {self._folder}: {error}")
