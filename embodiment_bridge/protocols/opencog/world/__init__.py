# SPDX-License-Identifier: Apache-2.0
"""What an OAC is told about body and world, and what its actions mean."""
