# SPDX-License-Identifier: Apache-2.0
"""A robot of the running graph as a Python object: what it sees, what it can do, and doing it."""
