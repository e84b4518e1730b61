# SPDX-License-Identifier: Apache-2.0
"""Outputs of sound: the sound device, or none, which takes the same time."""
