# SPDX-License-Identifier: Apache-2.0
"""Plans of an OAC, and the reports on them."""
