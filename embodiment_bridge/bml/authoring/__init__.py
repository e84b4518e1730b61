# SPDX-License-Identifier: Apache-2.0
"""Documents made, written and shown."""
