# SPDX-License-Identifier: Apache-2.0
"""The answer of `hold` and of `pause` when the robot was already frozen."""

from typing import Final

HELD_ALREADY: Final = "held already"
