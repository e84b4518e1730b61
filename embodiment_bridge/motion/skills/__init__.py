# SPDX-License-Identifier: Apache-2.0
"""Skills by name: the arbitration of channels, how each skill runs, and what a fallen body does."""
