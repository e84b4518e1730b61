# SPDX-License-Identifier: Apache-2.0
"""Runs a learned policy: what it observes, its network, the joint targets that come of it."""
