# SPDX-License-Identifier: Apache-2.0
"""Draws an occupancy grid as a picture on the floor."""

import numpy as np
import numpy.typing as npt
from nav_msgs.msg import OccupancyGrid

LARGEST = 512  # pixels along one side; larger maps are thinned out
UNKNOWN = (88, 94, 102)
FREE = np.array((226, 229, 222), dtype=np.float32)
TAKEN = np.array((38, 42, 48), dtype=np.float32)


def picture(grid: OccupancyGrid) -> npt.NDArray[np.uint8]:
    """The picture of an OccupancyGrid: RGB, rows from its top (largest y) down. Empty if sizes and data do not fit."""
    width, height = grid.info.width, grid.info.height
    if not width or not height or width * height != len(grid.data):
        return np.zeros((0, 0, 3), dtype=np.uint8)
    step = -(-max(width, height) // LARGEST)
    cells = np.asarray(grid.data, dtype=np.int16).reshape(height, width)[::-step, ::step]
    taken = np.clip(cells, 0, 100).astype(np.float32)[..., np.newaxis] / 100.0
    image = (FREE + taken * (TAKEN - FREE)).astype(np.uint8)
    image[cells < 0] = UNKNOWN
    if step == 1 and max(width, height) * 8 <= LARGEST:  # a small map has lines between its cells
        image = image.repeat(8, axis=0).repeat(8, axis=1)
        image[::8, :], image[:, ::8] = (120, 124, 128), (120, 124, 128)
    return image
