# SPDX-License-Identifier: Apache-2.0
"""Skills by name: the arbitration of channels, and how each skill runs."""
