# SPDX-License-Identifier: Apache-2.0
"""Nodes that record the graph and play it back."""
