# SPDX-License-Identifier: Apache-2.0
"""Plans of actions, as an OAC makes them."""
