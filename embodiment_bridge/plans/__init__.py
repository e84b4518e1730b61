# SPDX-License-Identifier: Apache-2.0
"""Action plans of brains: the names of the actions, their parameters, and the skills that carry them out.

Independent of protocols and of ROS: lengths are m and angles rad, in ``map``.
"""
