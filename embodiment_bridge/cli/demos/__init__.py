# SPDX-License-Identifier: Apache-2.0
"""The demos of `embodiment_bridge demo`; `cli/commands/demo.py` has their table."""
