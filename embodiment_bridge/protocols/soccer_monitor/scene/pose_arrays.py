# SPDX-License-Identifier: Apache-2.0
"""Places and orientations out of many matrices at once."""

from typing import Any

import numpy as np

Array = Any


def poses(worlds: Array) -> tuple[Array, Array]:
    """Of (n, 4, 4) transposed matrices the (n, 3) places, m, and (n, 4) unit quaternions x, y, z, w.

    The scale of a matrix is taken out. One that is not finite, or has no orientation, gives nan.
    """
    places = worlds[:, 3, :3]
    with np.errstate(all="ignore"):
        axes = worlds[:, :3, :3] / np.linalg.norm(worlds[:, :3, :3], axis=2, keepdims=True)
        turn = np.swapaxes(axes, 1, 2)  # columns are the axes
        turn = np.where((np.linalg.det(turn) < 0.0)[:, None, None], -turn, turn)  # a mirrored one, turned
        return places, _quaternions(turn)


def _quaternions(turn: Array) -> Array:
    """Shepperd's way: of the four parts the largest is found first, so that no division is by little."""
    xx, yy, zz = turn[:, 0, 0], turn[:, 1, 1], turn[:, 2, 2]
    squares = np.stack([1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], axis=1)
    xy, xz, yz = turn[:, 1, 0] + turn[:, 0, 1], turn[:, 0, 2] + turn[:, 2, 0], turn[:, 2, 1] + turn[:, 1, 2]
    wx, wy, wz = turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]
    x2, y2, z2, w2 = squares.T
    rows = np.stack(
        [
            np.stack([x2, xy, xz, wx], axis=1),
            np.stack([xy, y2, yz, wy], axis=1),
            np.stack([xz, yz, z2, wz], axis=1),
            np.stack([wx, wy, wz, w2], axis=1),
        ],
        axis=1,
    )
    best = rows[np.arange(len(turn)), np.argmax(squares, axis=1)]
    return best / np.linalg.norm(best, axis=1, keepdims=True)
