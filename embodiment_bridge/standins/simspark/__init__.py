# SPDX-License-Identifier: Apache-2.0
"""A stand-in for rcssserver3d: the ports of SimSpark on a small kinematic world of our own."""
