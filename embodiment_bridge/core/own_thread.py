# SPDX-License-Identifier: Apache-2.0
"""Base class of servers that run on a thread of their own until they are closed."""

import threading
from abc import abstractmethod

from embodiment_bridge.core.closing import ClosedOnExit


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
