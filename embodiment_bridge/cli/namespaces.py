# SPDX-License-Identifier: Apache-2.0
"""Argparse type for namespaces on command lines."""

import argparse

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.names import join_namespace


def namespace(text: str) -> str:
    """The namespace as an absolute one; an empty text stays empty."""
    try:
        return join_namespace("", text) if text else text
    except ConfigError:
        rule = "parts between / are letters, digits and _, and do not begin with a digit"
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a namespace: {rule}") from None
