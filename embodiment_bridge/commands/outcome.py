# SPDX-License-Identifier: Apache-2.0
"""Exit codes of commands that run a performance."""

EXIT_CODES = {"SUCCEEDED": 0, "STOPPED": 0, "FAILED": 1, "REJECTED": 3}
OTHER = 4


def exit_code(outcome: str) -> int:
    """0 SUCCEEDED or STOPPED, 1 FAILED, 3 REJECTED, 4 anything else (2 is a usage error)."""
    return EXIT_CODES.get(outcome, OTHER)
