# SPDX-License-Identifier: Apache-2.0
"""Occupancy grids as pictures."""

import numpy as np
from nav_msgs.msg import MapMetaData, OccupancyGrid

from embodiment_bridge.viewing.robot_view import FREE, LARGEST, TAKEN, UNKNOWN, picture


def grid(width, height, data):
    return OccupancyGrid(info=MapMetaData(width=width, height=height, resolution=0.5), data=data)


def test_largest_y_is_on_top():
    image = picture(grid(2, 2, [0, 100, -1, 50]))
    assert image.shape == (16, 16, 3)
    corners = [[image[4, 4], image[4, 12]], [image[12, 4], image[12, 12]]]
    assert np.array_equal(corners[1], [FREE, TAKEN])
    assert np.array_equal(corners[0][0], UNKNOWN)
    assert TAKEN[0] < corners[0][1][0] < FREE[0]


def test_large_maps_are_thinned_out():
    image = picture(grid(3 * LARGEST, 10, np.zeros(30 * LARGEST, dtype=np.int8).tolist()))
    assert image.shape == (4, LARGEST, 3)


def test_sizes_that_do_not_fit_give_nothing():
    assert picture(grid(3, 3, [0])).size == 0
    assert picture(grid(0, 0, [])).size == 0
