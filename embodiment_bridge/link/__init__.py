# SPDX-License-Identifier: Apache-2.0
"""One connection kept alive on its own thread, and what it runs over."""
