# SPDX-License-Identifier: Apache-2.0
"""A virtual servo bus: answers on the wire, byte by byte, as Dynamixel servos do (docs/virtual_servos.md)."""
