# SPDX-License-Identifier: Apache-2.0
"""Names properties of entities that bodies and brains both know."""

from typing import Final

FORGOTTEN: Final = ("forgotten", "true")
"""Marks a thing in its last EntityArray when the body forgets it; without the mark it is gone."""
