# SPDX-License-Identifier: Apache-2.0
"""One key of a node: how its value is read, written and described."""
