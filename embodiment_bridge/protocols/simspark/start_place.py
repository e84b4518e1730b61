# SPDX-License-Identifier: Apache-2.0
"""Where a player begins: rcssserver3d lets all robots appear in one place, where they push each other over."""

import math
from collections.abc import Mapping
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.simspark import convert
from embodiment_bridge.protocols.simspark.commands import Beam

Place = tuple[float, float, float]

LINE_UP: Final[Mapping[int, Place]] = {
    1: (-14.0, 0.0, 0.0),
    2: (-10.0, -3.0, 0.0),
    3: (-10.0, 3.0, 0.0),
    4: (-10.0, 0.0, 0.0),
    5: (-7.0, -6.0, 0.0),
    6: (-7.0, 6.0, 0.0),
    7: (-6.0, -2.0, 0.0),
    8: (-6.0, 2.0, 0.0),
    9: (-3.0, -5.0, 0.0),
    10: (-3.0, 5.0, 0.0),
    11: (-2.5, 0.0, 0.0),
}
"""By player number: x, y (m) and heading (rad) as in ``beam``, relative to the own side."""

BEAM_MODES: Final = ("BeforeKickOff", "Goal_Left", "Goal_Right")
SETTLE: Final = 1.0  # s after joining in which the robots fall down and the joints find their rest pose
LOOK: Final = 2.0  # s after a beam until the robot stands, or lies and is beamed again
TRIES: Final = 5
UPRIGHT: Final = 0.5  # rad


class StartPlace:
    """The beams that put a player where it begins; ``text`` is the parameter ``start_pose``.

    Raises:
        ConfigError: it is none of the choices.
    """

    def __init__(self, text: str) -> None:
        self._fixed: Place | None = None
        self._wanted = text != "server"
        if text not in ("line_up", "server"):
            self._fixed = _place(text)
        self.restart()

    def restart(self) -> None:
        """Another connection."""
        self._due: float | None = None
        self._tries = 0

    def leave(self) -> None:
        """Somebody else has said where the player is to be."""
        self._tries = TRIES

    def beam(self, number: int, mode: str, time: float, tilt: float) -> Beam | None:
        """The beam that is due now for a player that has joined, if the game allows it.

        Args:
            number: of the player.
            mode: of the game.
            time: s, of the server.
            tilt: rad; 0 if unknown.
        """
        if not self._wanted or self._tries >= TRIES:
            return None
        if self._due is None:
            self._due = time + SETTLE
        if time < self._due:
            return None
        place = self._fixed or LINE_UP.get(number)
        if mode not in BEAM_MODES or place is None or (self._tries and tilt < UPRIGHT):
            self._tries = TRIES  # the game goes on, or the player stands
            return None
        self._tries += 1
        self._due = time + LOOK
        return convert.beam(*place)


def _place(text: str) -> Place:
    try:
        x, y, yaw = (float(word) for word in text.split())
    except ValueError:
        x = y = yaw = math.nan
    if not (-100.0 <= x <= 0.0 and abs(y) <= 100.0 and abs(yaw) <= 2 * math.pi):
        raise ConfigError(
            f"parameter start_pose is {text!r}; it must be line_up, server, or x, y (m, x not above 0) and heading "
            "(rad) with blanks between, as -3.0 1.0 0.0"
        )
    return x, y, yaw
