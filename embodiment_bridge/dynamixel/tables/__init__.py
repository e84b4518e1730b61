# SPDX-License-Identifier: Apache-2.0
"""Control tables of the servo models."""
