# SPDX-License-Identifier: Apache-2.0
"""Reads the servos of a robot from its description and files."""
