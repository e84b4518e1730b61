# SPDX-License-Identifier: Apache-2.0
"""The differences between servers in the commands of a trainer, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SIDES: Final = {"left": "Left", "right": "Right"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one server does with trainer commands.

    yaw_offset_deg: added to a yaw (0 along x, positive left) for its ``move``. can_ask: it obeys ``reqfullstate``.
    ignored: services of which it does nothing, and why. can_weaken: battery and temperature can be set.
    needs_position: of agent and ball. free_poses: players may lie, and teams may be told by name.
    notes: by service, what else people should know of what it does.
    """

    server: str
    yaw_offset_deg: float
    can_ask: bool
    can_weaken: bool
    needs_position: bool
    free_poses: bool
    ignored: Mapping[str, str]
    notes: Mapping[str, str]
