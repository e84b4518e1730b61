# SPDX-License-Identifier: Apache-2.0
"""Where rcssservermj 0.2.1 puts the landmarks that it sends, x, y, z in m: as measured, not as painted.

The corners of goal and penalty areas are sent with the whole width of the area to each side, not half of it.
"""

from collections.abc import Iterator


def landmarks(
    *,
    length: float,
    width: float,
    circle: float,
    spot: float,
    goal: tuple[float, float],
    goal_area: tuple[float, float],
    penalty_area: tuple[float, float],
) -> dict[str, tuple[float, float, float]]:
    """The table of a field: half length, half width, circle's radius, spot's x, goal post y and z, x and y of areas."""

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

    return {name: (x, y, z) for name, x, y, z in corners()}


SEVEN = landmarks(
    length=27.5,
    width=18.0,
    circle=5.5,
    spot=20.18,
    goal=(1.83, 1.83),
    goal_area=(23.5, 7.3),
    penalty_area=(18.5, 16.5),
)
FIFA = landmarks(
    length=52.5,
    width=34.0,
    circle=9.15,
    spot=41.5,
    goal=(3.66, 2.44),
    goal_area=(47.0, 18.32),
    penalty_area=(36.0, 40.32),
)
