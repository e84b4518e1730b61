# SPDX-License-Identifier: Apache-2.0
"""Dynamixel servos: the wire, the bus, the joints behind it, and a virtual bus for tests and simulation."""
