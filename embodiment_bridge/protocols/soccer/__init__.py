# SPDX-License-Identifier: Apache-2.0
"""The common parts of the soccer simulators: S-expression lists, what a robot sees and senses, messages."""
