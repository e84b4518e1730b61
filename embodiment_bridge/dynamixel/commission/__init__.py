# SPDX-License-Identifier: Apache-2.0
"""A checklist for the first day with a real servo, and its report."""
