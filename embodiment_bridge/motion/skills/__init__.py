# SPDX-License-Identifier: Apache-2.0
"""Skills by name: who may move which channel, and how each runs."""
