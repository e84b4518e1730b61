# SPDX-License-Identifier: Apache-2.0
"""Which keys a node of each type has, and which keys of later versions are known but not carried out."""

_COMMON = frozenset({"type", "name", "loop", "repeat", "duration"})
_POLICIES = frozenset({"successPolicy", "failurePolicy"})
_COMPOSITE = _COMMON | _POLICIES | {"behaviors", "children"}
_BODY = _COMMON | {"action", "intensity"}

KEYS: dict[str, frozenset[str]] = {
    "sequence": _COMPOSITE,
    "selector": _COMPOSITE,
    "parallel": _COMPOSITE,
    "loop": _COMMON | _POLICIES | {"behavior"},
    "delay": _COMMON | {"return"},
    "player": _COMMON | {"action", "url", "volume", "content"},
    "body": _BODY,
    "emotion": _BODY,
    "request": _COMMON | {"url"},
    "stop": _COMMON | {"target"},
    "speak": _COMMON | {"content", "voice", "language", "rate", "volume"},
}

# Extensions that this version does not carry out. Without a guard, a time-out or a clean-up a robot would do
# what the author meant to prevent, and what a node of another type stands for cannot be left out: those are
# errors in either mode.
UNSAFE_TO_IGNORE = frozenset({"condition", "timeout", "finally"})
UNSUPPORTED_TYPES = frozenset({"set", "subtree"})
# Without these the behaviour is plainer (children in order, at once, on one player), not another one.
SAFE_TO_IGNORE = frozenset({"reactive", "random", "weights", "start", "channel", "fade", "marks_url"})
