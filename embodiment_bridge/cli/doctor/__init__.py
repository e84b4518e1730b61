# SPDX-License-Identifier: Apache-2.0
"""Checks of the machine and its environment. Each is a small function of what it checks, and gives advice."""
