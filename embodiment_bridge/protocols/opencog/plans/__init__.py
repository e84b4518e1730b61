# SPDX-License-Identifier: Apache-2.0
"""Plans of an OAC, and what it is told of them."""
