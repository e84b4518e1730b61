# SPDX-License-Identifier: Apache-2.0
"""Runs of documents and plans on the graph: which has the body, what it may use, and who follows it."""
