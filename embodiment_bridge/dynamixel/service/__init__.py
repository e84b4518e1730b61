# SPDX-License-Identifier: Apache-2.0
"""Registers of single servos, for the command line."""
