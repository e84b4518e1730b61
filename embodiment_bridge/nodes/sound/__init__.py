# SPDX-License-Identifier: Apache-2.0
"""The node that plays sound and speaks."""
