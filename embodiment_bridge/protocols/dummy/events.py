# SPDX-License-Identifier: Apache-2.0
"""The messages of the head (events) and to it (commands), in the units of the wire: degrees, seconds.

The first field of an event is ``offset``, the place in the stream of the first byte that it was made of.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from embodiment_bridge.wire.codec import Malformed, Unknown


@dataclass(frozen=True, slots=True)
class Hello:
    """``hello head``: the head answers our first line with its name."""

    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class Joints:
    """``joint pan 12.5 tilt -3.0 t 4.02``: where the joints are.

    ``pan_deg`` is positive to the left and ``tilt_deg`` is positive up. ``time_s`` is since the head was switched on.
    """

    offset: int
    pan_deg: float
    tilt_deg: float
    time_s: float


@dataclass(frozen=True, slots=True)
class Greet:
    """``hello bridge``: the first line of a connection; the head is silent until it has come."""

    name: str


@dataclass(frozen=True, slots=True)
class SetJoints:
    """``set pan 10.000 tilt 0.000``: go there, as fast as you can. The signs are those of ``Joints``."""

    pan_deg: float
    tilt_deg: float


# What is broken is Malformed, and what has no name here is Unknown, which can be sent again as it came.
Event: TypeAlias = Hello | Joints | Unknown | Malformed
Command: TypeAlias = Greet | SetJoints | Unknown
COMMANDS: Final = (Greet, SetJoints)
