# SPDX-License-Identifier: Apache-2.0
"""Dynamixel packets: bytes to events, commands to bytes."""
