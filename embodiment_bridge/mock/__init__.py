# SPDX-License-Identifier: Apache-2.0
"""A small flat world with one robot, a ball, another agent and walls, computed step by step.

It knows no ROS and no clock. The world obeys: joints go where they are told and the base drives as it is told. So it
needs no balance, and a second of it costs a few milliseconds.
"""
