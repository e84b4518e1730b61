# SPDX-License-Identifier: Apache-2.0
"""What is open once it is made, and closed at the end of a ``with`` block."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

Open = TypeVar("Open", bound="ClosedOnExit")


class ClosedOnExit(ABC):
    """A context manager of itself, which ends with ``close``."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held."""

    def __enter__(self: Open) -> Open:
        """The thing itself: it is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """See ``close``."""
        self.close()
