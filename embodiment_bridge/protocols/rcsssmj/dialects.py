# SPDX-License-Identifier: Apache-2.0
"""The two orders of the three numbers of a ``pol``, and how to tell them apart."""

from collections.abc import Callable, Sequence
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj.events import PointDetection

CURRENT: Final = "0.2.1"  # (pol distance azimuth elevation): what rcssservermj sends
SEED: Final = "seed"  # (pol azimuth elevation distance): what the text of its older documentation says


class Dialect:
    """The order in use on one connection: as told, or else found from what the server sends."""

    def __init__(self, name: str | None = None) -> None:
        """Use the order ``name``; None finds it from the stream, beginning with that of 0.2.1.

        Raises:
            ConfigError: there is no such dialect.
        """
        if name not in (None, CURRENT, SEED):
            raise ConfigError(unknown("dialect", str(name), (CURRENT, SEED)))
        self.name = name or CURRENT
        self._told = name is not None

    def look_at(self, first: Sequence[float], third: Sequence[float]) -> None:
        """Learn from the first and third numbers of all detections of a picture: no distance is negative."""
        if self._told:
            return
        distance, angle = (first, third) if self.name == CURRENT else (third, first)
        if any(value < 0.0 for value in distance) and not any(value < 0.0 for value in angle):
            self.name = SEED if self.name == CURRENT else CURRENT

    @property
    def detection(self) -> Callable[[str, float, float, float], PointDetection]:
        """What makes a detection of a name and the three numbers in the order of the wire."""
        return PointDetection if self.name == CURRENT else _seed_detection


def _seed_detection(name: str, azimuth: float, elevation: float, distance: float) -> PointDetection:
    return PointDetection(name, distance, azimuth, elevation)
