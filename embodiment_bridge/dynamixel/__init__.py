# SPDX-License-Identifier: Apache-2.0
"""Dynamixel servos: the wire protocol, the bus driver, the joints, and a virtual bus for tests and simulation."""
