# SPDX-License-Identifier: Apache-2.0
"""The basis of BML: problems, limits, pointers, conditions, and the words of a text."""
