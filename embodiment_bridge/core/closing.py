# SPDX-License-Identifier: Apache-2.0
"""Base class of resources that are open after construction and closed at the end of a ``with`` block."""

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
