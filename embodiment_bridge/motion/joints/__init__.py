# SPDX-License-Identifier: Apache-2.0
"""Joints moved by trajectories, keyframes and direct commands, within their limits."""
