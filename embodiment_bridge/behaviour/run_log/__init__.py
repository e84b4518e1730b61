# SPDX-License-Identifier: Apache-2.0
"""The log of a run, and its replay."""
