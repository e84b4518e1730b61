# SPDX-License-Identifier: Apache-2.0
"""Helpers for all layers: errors, units, rotations, parameters. It imports no other folder of this package."""
