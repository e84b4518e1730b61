# SPDX-License-Identifier: Apache-2.0
"""Base classes of what a ``with`` block closes: resources, and servers on a thread of their own."""

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

Open = TypeVar("Open", bound="ClosedOnExit")


class ClosedOnExit(ABC):
    """A context manager that calls its own ``close`` at the end."""

    @abstractmethod
    def close(self) -> None:
        """Release the resource."""

    def __enter__(self: Open) -> Open:
        """Return self, which is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Call ``close``."""
        self.close()


class OwnThread(ClosedOnExit):
    """Call ``_start`` at the end of ``__init__``; ``_serve`` returns soon after ``_closing`` is set."""

    def __init__(self) -> None:
        self._closing = threading.Event()

    def _start(self, name: str) -> None:
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether it serves no more: it was told to end, by a client perhaps, or a fault has ended its thread."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop serving and wait for the thread to end. May be called more than once."""
        self._closing.set()
        self._thread.join()

    @abstractmethod
    def _serve(self) -> None:
        """Serve until ``_closing`` is set."""
