# SPDX-License-Identifier: Apache-2.0
"""The command line, one file per command."""

from embodiment_bridge.cli.command_line import main

__all__ = ["main"]
