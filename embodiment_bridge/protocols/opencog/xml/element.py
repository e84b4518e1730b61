# SPDX-License-Identifier: Apache-2.0
"""The type of an XML element, as far as it is read here; lxml has no types."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, overload


class Element(Protocol):
    """An element of lxml; as far as it is used here."""

    tag: str
    text: str | None

    @property
    def attrib(self) -> Mapping[str, str]:
        """Its attributes by name."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator["Element"]: ...

    @overload
    def get(self, name: str) -> str | None: ...

    @overload
    def get(self, name: str, default: str) -> str: ...

    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of an attribute, or ``default``."""
        ...

    def items(self) -> Sequence[tuple[str, str]]:
        """Its attributes, in the order of the document."""
        ...

    def itertext(self) -> Iterator[str]:
        """All texts in it, in the order of the document."""
        ...
