# SPDX-License-Identifier: Apache-2.0
"""Namespaces on command lines: a type for argparse."""

import argparse

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.names import join_namespace


def namespace(text: str) -> str:
    """An absolute namespace; the empty text stays as it is."""
    try:
        return join_namespace("", text) if text else text
    except ConfigError:
        rule = "parts between / are letters, digits and _, beginning with no digit"
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no namespace: {rule}") from None
