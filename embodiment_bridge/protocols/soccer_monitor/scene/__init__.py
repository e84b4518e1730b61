# SPDX-License-Identifier: Apache-2.0
"""The scene graph of a soccer monitor, and what is seen in it."""
