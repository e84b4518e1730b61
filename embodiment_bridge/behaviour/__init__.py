# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees that tick on values and a run clock; ROS is attached from outside."""
