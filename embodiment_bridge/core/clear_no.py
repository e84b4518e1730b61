# SPDX-License-Identifier: Apache-2.0
"""What lets a frozen robot go on: a clear no, and nothing that may mean something else."""


def is_clear_no(value: object) -> bool:
    """Whether this is false, or the text false."""
    return value is False or (isinstance(value, str) and value.strip().lower() == "false")
