# SPDX-License-Identifier: Apache-2.0
"""Properties of entities that bodies and brains both know."""

from typing import Final

FORGOTTEN: Final = ("forgotten", "true")
"""Of a thing in its last EntityArray, when it leaves because the body remembers no more, and not because it is gone."""
