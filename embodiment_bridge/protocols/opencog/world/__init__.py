# SPDX-License-Identifier: Apache-2.0
"""The description of body and world for an OAC."""
