# SPDX-License-Identifier: Apache-2.0
"""Devices that a robot is made of, each in a folder of its own."""
