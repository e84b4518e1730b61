# SPDX-License-Identifier: Apache-2.0
"""Which keys a node of each type has, and which keys of other places or versions are known."""

_COMMON = frozenset({"type", "name", "loop", "repeat", "duration", "condition", "timeout", "start"})
_POLICIES = frozenset({"successPolicy", "failurePolicy"})
_COMPOSITE = _COMMON | _POLICIES | {"behaviors", "children", "finally"}
_BODY = _COMMON | {"action", "intensity"}

KEYS: dict[str, frozenset[str]] = {
    "sequence": _COMPOSITE,
    "selector": _COMPOSITE | {"reactive", "random", "weights"},
    "parallel": _COMPOSITE,
    "loop": _COMMON | _POLICIES | {"behavior", "finally"},
    "delay": _COMMON | {"return"},
    "player": _COMMON | {"action", "url", "volume", "content", "channel", "fade", "marks_url"},
    "body": _BODY,
    "emotion": _BODY,
    "request": _COMMON | {"url"},
    "stop": _COMMON | {"target"},
    "speak": _COMMON | {"content", "voice", "language", "rate", "volume", "channel"},
    "set": _COMMON | {"key", "value"},
    "subtree": _COMMON | {"ref", "args"},
}

# A clean-up in a place where there can be none: leaving it out would leave the robot as the author meant to
# prevent, so it is an error in either mode.
UNSAFE_TO_IGNORE = frozenset({"finally"})
