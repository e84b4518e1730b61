# SPDX-License-Identifier: Apache-2.0
"""Gaits of legs: joint angles as a function of time, command and the sensed balance."""
