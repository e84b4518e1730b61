# SPDX-License-Identifier: Apache-2.0
"""A world of square cells: where an agent is in it, what it has seen of it, and how to get somewhere.

Cells are counted from the start cell: x to the east, y to the north. Pure: the same for whatever tells what is seen.
"""
