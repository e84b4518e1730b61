# SPDX-License-Identifier: Apache-2.0
"""The states of a servo bus.

CLOSED -> OPEN -> PROBE -> CONFIGURE -> READY -> ACTIVE <-> DEGRADED -> LOST -> (OPEN ...)
"""

from enum import Enum


class BusState(Enum):
    """The state of a bus."""

    CLOSED = "closed"  # not started
    OPEN = "open"  # the port was opened
    PROBE = "probe"  # the servos are asked who they are
    CONFIGURE = "configure"  # their settings are brought in order
    READY = "ready"  # the servos are read; their torque has not been requested
    ACTIVE = "active"  # the servos are driven
    DEGRADED = "degraded"  # some servos do not answer
    LOST = "lost"  # the port is gone, or no servo answers


SERVING = frozenset({BusState.READY, BusState.ACTIVE, BusState.DEGRADED})
