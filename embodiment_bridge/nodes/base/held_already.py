# SPDX-License-Identifier: Apache-2.0
"""What `hold` of a body and `pause` of the tree answer when somebody had frozen the robot before."""

from typing import Final

HELD_ALREADY: Final = "held already"
