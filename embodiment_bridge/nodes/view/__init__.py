# SPDX-License-Identifier: Apache-2.0
"""The node that shows robots in a browser."""
