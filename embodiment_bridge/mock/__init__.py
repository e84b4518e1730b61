# SPDX-License-Identifier: Apache-2.0
"""A small flat world with one robot, a ball, another agent and walls, computed step by step.

It uses neither ROS nor a clock. Joints and base follow their commands without error, so that the world
does not simulate balance; a second of it costs a few milliseconds.
"""
