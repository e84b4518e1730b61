# SPDX-License-Identifier: Apache-2.0
"""Names the landmarks of the fields of RCSSServerMJ by their places, where it sends only their kind.

Places are in m, as they are sent, not as they are painted: the corners of goal and penalty areas have the whole width
of the area to each side, not half of it. 0.2.1 names each landmark (``l_luf``), its master only the kind (``L``).
"""

from collections.abc import Callable, Iterator, Mapping
from math import dist, inf
from types import MappingProxyType
from typing import Final

from embodiment_bridge.core.rotation import Vector

LETTERS: Final = frozenset("LTXPG")
NEAR: Final = 0.1  # m; what joints and pose leave open of the place of a landmark
NEAR_SHARE: Final = 0.04  # of its distance: four times the noise of master, 1 % and 0.5 degrees
ENOUGH: Final = 200  # landmarks, after which it is known whether the field is


def _landmarks(
    length: float,
    width: float,
    circle: float,
    spot: float,
    goal: tuple[float, float],
    goal_area: tuple[float, float],
    penalty_area: tuple[float, float],
) -> Mapping[str, Vector]:
    """Return the landmarks of a field.

    Its half length, half width, circle's radius, spot's x, goal post y and z, x and y of the corners of areas.
    """

    def corners() -> Iterator[tuple[str, float, float, float]]:
        for side, sx in (("l", -1.0), ("r", 1.0)):
            yield f"p_{side}pm", sx * spot, 0.0, 0.0
            for half, sy in (("u", 1.0), ("l", -1.0)):
                yield f"l_{side}{half}f", sx * length, sy * width, 0.0
                yield f"g_{side}{half}p", sx * length, sy * goal[0], goal[1]
                for area, (x, y) in (("ga", goal_area), ("pa", penalty_area)):
                    yield f"l_{side}{half}{area}", sx * x, sy * y, 0.0
                    yield f"t_{side}{half}{area}", sx * length, sy * y, 0.0
        for half, sy in (("u", 1.0), ("l", -1.0)):
            yield f"t_c{half}f", 0.0, sy * width, 0.0
            yield f"x_c{half}c", 0.0, sy * circle, 0.0

    return MappingProxyType({name: (x, y, z) for name, x, y, z in corners()})


SEVEN: Final = _landmarks(27.5, 18.0, 5.5, 20.18, (1.83, 1.83), (23.5, 7.3), (18.5, 16.5))
FIFA: Final = _landmarks(52.5, 34.0, 9.15, 41.5, (3.66, 2.44), (47.0, 18.32), (36.0, 40.32))
HSL: Final = _landmarks(7.0, 4.5, 3.0, 4.0, (1.83, 1.83), (6.05, 4.0), (4.05, 6.0))
FIELDS: Final = MappingProxyType({"fifa7vs7": SEVEN, "fifa": FIFA, "hsl2026": HSL})
NAMES: Final = frozenset(SEVEN)


class FieldFinder:
    """Finds out on which field a player is that sees landmarks without names, and names them by their places.

    ``note`` hears once that the landmarks are those of no field.
    """

    def __init__(self, note: Callable[[str], object]) -> None:
        self._note = note
        self.forget()

    def forget(self) -> None:
        """Begin anew: the world may be another one."""
        self._hits = dict.fromkeys(FIELDS, 0)
        self._seen = 0

    def name(self, letter: str, place: Vector, distance: float) -> str:
        """Return the name of the landmark of a kind at a place (m in ``map``), ``distance`` m away; empty if none."""
        self._seen += 1
        reach = NEAR + NEAR_SHARE * distance
        found = {field: _nearest(marks, letter, place, reach) for field, marks in FIELDS.items()}
        for field, name in found.items():
            self._hits[field] += bool(name)
        best = max(FIELDS, key=self._hits.__getitem__)
        if self._seen >= ENOUGH and 2 * self._hits[best] < self._seen:
            self._note(f"most landmarks are where no field of the server has them ({', '.join(FIELDS)})")
        return found[best]


def _nearest(marks: Mapping[str, Vector], letter: str, place: Vector, reach: float) -> str:
    near = ((dist(where, place), name) for name, where in marks.items() if name[0] == letter.lower())
    away, name = min(near, default=(inf, ""))
    return name if away <= reach else ""
