# SPDX-License-Identifier: Apache-2.0
"""Limits for XML documents of other programs, which are checked before parsing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one document.

    max_bytes: a slice of 4,096 terrain blocks has 1 MB, a thousand entities 0.6 MB.
    max_marks: ``<`` and ``=`` together, so elements and attributes: some 200 bytes of memory each while parsing.

    Nesting is bounded by libxml2 at 256 elements, and nothing here recurses.
    """

    max_bytes: int = 4 << 20
    max_marks: int = 400_000
