# SPDX-License-Identifier: Apache-2.0
"""A document run on a virtual clock, with virtual skills and sound."""
