# SPDX-License-Identifier: Apache-2.0
"""How long a document takes and which channels it drives."""
