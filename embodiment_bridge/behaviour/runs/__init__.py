# SPDX-License-Identifier: Apache-2.0
"""Runs: a tree driven to an outcome, and several of them for one robot."""
