# SPDX-License-Identifier: Apache-2.0
"""What the soccer simulators have in common: their S-expression lists, what a robot sees and senses, its messages."""
