# SPDX-License-Identifier: Apache-2.0
"""The lights of a body. A body without lights has them too, for viewers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.body.description import BodyDescription, Light
from embodiment_bridge.core.errors import CommandError, unknown

LIGHTS: Final = ("eyes", "face")  # the channels that are lights
WHITE: Final = (1.0, 1.0, 1.0)
PASSING: Final = "blink"  # the pattern that ends with its skill
LEVEL_S: Final = 0.5  # s for which a level is valid


@dataclass(frozen=True, slots=True)
class Shown:
    """Represents a pattern of ``description.LIGHT_PATTERNS`` or ``off``, in a colour (red, green, blue, 0..1 each)."""

    pattern: str
    color: tuple[float, float, float]


class Lights:
    """Holds the lights; ``shown``: by channel, replaced by a new object at each change.

    Initially as in skill `reset`.

    A *level* makes a light darker for a while, whatever it shows: skills keep their colours.
    """

    def __init__(self, description: BodyDescription) -> None:
        self.shown: Mapping[str, Shown] = {}
        self._bright: Mapping[str, Shown] = {}  # without levels
        self._levels: dict[str, tuple[float, float]] = {}  # the level, and s that it still holds
        self._before: dict[str, Shown | None] = {}
        reset = description.skills.get("reset")
        if reset is not None and reset.light is not None:
            self.show(reset.channels, reset.light)

    def show(self, channels: Iterable[str], light: Light) -> None:
        """Show ``light`` on the channels that are lights; without a colour each keeps its own."""
        shown = dict(self._bright)
        for channel in channels:
            if channel not in LIGHTS:
                continue
            now = shown.get(channel)
            if light.pattern == PASSING and (now is None or now.pattern != PASSING):
                self._before[channel] = now
            color = light.color or (now.color if now is not None else WHITE)
            shown[channel] = Shown(light.pattern, color)
        self._bright = shown
        self._mix()

    def end(self, channels: Iterable[str], light: Light) -> None:
        """End the ``light`` of a skill: a passing pattern is replaced by the one before."""
        if light.pattern != PASSING:
            return
        shown = dict(self._bright)
        for channel in channels:
            before = self._before.pop(channel, None)
            now = shown.get(channel)
            if now is None or now.pattern != PASSING:
                continue  # the light has been changed since
            if before is not None:
                shown[channel] = before
            else:
                del shown[channel]
        self._bright = shown
        self._mix()

    def set_light(self, channel: str, light: Light) -> None:
        """Set one light, until a skill or the next call sets it again.

        Raises:
            CommandError: the light is unknown.
        """
        _check(channel)
        self.show((channel,), light)

    def set_level(self, channel: str, level: float) -> None:
        """Scale the brightness of ``channel`` by ``level`` (0..1), for ``LEVEL_S``.

        Raises:
            CommandError: the light is unknown, or the level is out of range.
        """
        _check(channel)
        if not (isfinite(level) and 0.0 <= level <= 1.0):
            raise CommandError(f"a level is 0 to 1, not {level}")
        before = self._levels.get(channel)
        self._levels[channel] = (level, LEVEL_S)
        if before is None or before[0] != level:
            self._mix()

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass: levels that were not renewed end."""
        if not self._levels:
            return
        left = {channel: (level, time - dt) for channel, (level, time) in self._levels.items()}
        self._levels = {channel: one for channel, one in left.items() if one[1] > 0.0}
        if len(self._levels) < len(left):
            self._mix()

    def _mix(self) -> None:
        shown = dict(self._bright)
        for channel, (level, _) in self._levels.items():
            now = shown.get(channel) or Shown("steady", WHITE)
            red, green, blue = now.color
            shown[channel] = Shown(now.pattern, (red * level, green * level, blue * level))
        self.shown = shown


def _check(channel: str) -> None:
    if channel not in LIGHTS:
        raise CommandError(unknown("light", channel, LIGHTS))
