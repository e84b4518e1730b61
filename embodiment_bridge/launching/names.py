# SPDX-License-Identifier: Apache-2.0
"""Node names and namespaces: joined as launch_ros does it, and checked by the rules of ROS 2's middleware."""

import re

from embodiment_bridge.core.errors import ConfigError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAMESPACE = re.compile(r"/|(?:/[A-Za-z_][A-Za-z0-9_]*)+")
MAX_NAME = 255  # characters; RMW_NODE_NAME_MAX_NAME_LENGTH
MAX_NAMESPACE = 245  # RMW_NAMESPACE_MAX_LENGTH


def node_name(name: str) -> str:
    """The name itself, checked.

    Raises:
        ConfigError: a node cannot have this name.
    """
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise ConfigError(
            f"node name {name[:60]!r} is not one of letters, digits and _, beginning with no digit"
        )
    return name


def join_namespace(outer: str, inner: str) -> str:
    """``inner`` under ``outer``; an ``inner`` that begins with / stands alone. The result begins with / .

    Raises:
        ConfigError: the result is not a namespace.
    """
    joined = inner if inner.startswith("/") or not outer else f"{outer.rstrip('/')}/{inner}"
    joined = joined.rstrip("/")
    if not joined.startswith("/"):
        joined = "/" + joined
    if len(joined) > MAX_NAMESPACE or not _NAMESPACE.fullmatch(joined):
        raise ConfigError(
            f"namespace {joined[:60]!r} (from {outer!r} and {inner!r}) has a part that is not one of letters,"
            " digits and _, beginning with no digit"
        )
    return joined
