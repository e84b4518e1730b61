# SPDX-License-Identifier: Apache-2.0
"""What is below all of BML: problems, limits, pointers, conditions, and the words of a text."""
