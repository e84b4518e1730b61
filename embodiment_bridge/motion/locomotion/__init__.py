# SPDX-License-Identifier: Apache-2.0
"""Locomotion of a body: on legs, by a gait, a policy or keyframes, or on a base that drives."""
