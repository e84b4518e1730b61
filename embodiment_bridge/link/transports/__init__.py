# SPDX-License-Identifier: Apache-2.0
"""Links that carry bytes: nothing here knows what they mean."""
