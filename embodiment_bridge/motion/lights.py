# SPDX-License-Identifier: Apache-2.0
"""What the lights of a body show. A body without lights has them too: viewers show what they would show."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.description import BodyDescription, Light

LIGHTS: Final = ("eyes", "face")  # the channels that are lights
WHITE: Final = (1.0, 1.0, 1.0)
PASSING: Final = "blink"  # the pattern that ends with its skill


@dataclass(frozen=True, slots=True)
class Shown:
    """A pattern of ``description.LIGHT_PATTERNS`` or ``off``, in a colour (red, green, blue, 0..1 each)."""

    pattern: str
    color: tuple[float, float, float]


class Lights:
    """``shown``: by channel; it is replaced, never changed, when something changes. At first what `reset` shows."""

    def __init__(self, description: BodyDescription) -> None:
        self.shown: Mapping[str, Shown] = {}
        self._before: dict[str, Shown | None] = {}
        reset = description.skills.get("reset")
        if reset is not None and reset.light is not None:
            self.show(reset.channels, reset.light)

    def show(self, channels: Iterable[str], light: Light) -> None:
        """Show ``light`` on those of ``channels`` that are lights; without a colour each keeps its own."""
        shown = dict(self.shown)
        for channel in channels:
            if channel not in LIGHTS:
                continue
            now = shown.get(channel)
            if light.pattern == PASSING and (now is None or now.pattern != PASSING):
                self._before[channel] = now
            color = light.color or (now.color if now is not None else WHITE)
            shown[channel] = Shown(light.pattern, color)
        self.shown = shown

    def end(self, channels: Iterable[str], light: Light) -> None:
        """The skill that showed ``light`` has ended: a passing pattern gives way to the one before."""
        if light.pattern != PASSING:
            return
        shown = dict(self.shown)
        for channel in channels:
            before = self._before.pop(channel, None)
            now = shown.get(channel)
            if now is None or now.pattern != PASSING:
                continue  # something else is shown since
            if before is not None:
                shown[channel] = before
            else:
                del shown[channel]
        self.shown = shown
