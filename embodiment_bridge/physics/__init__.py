# SPDX-License-Identifier: Apache-2.0
"""Robots in MuJoCo, in this process, without ROS: any URDF or MJCF, with motors, a world and sensors.

``assembly`` makes one model of a robot and a world, ``simulation`` steps it, ``senses`` and ``sight`` perceive.
MuJoCo's ``MjSpec`` reads the files; there is no physics of our own here.
"""
