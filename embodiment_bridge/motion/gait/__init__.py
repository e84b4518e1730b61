# SPDX-License-Identifier: Apache-2.0
"""Walking, falling and getting up."""
