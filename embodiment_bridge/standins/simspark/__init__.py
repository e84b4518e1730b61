# SPDX-License-Identifier: Apache-2.0
"""A stand-in for rcssserver3d: its ports on a small kinematic world."""
