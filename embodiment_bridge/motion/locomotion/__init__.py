# SPDX-License-Identifier: Apache-2.0
"""How a body moves from place to place: on legs, by a gait, a policy or keyframes, or on a base that drives."""
