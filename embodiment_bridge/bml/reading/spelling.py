# SPDX-License-Identifier: Apache-2.0
"""The names of BML as they are and as they are also written.

The class names with ``Beahvior`` are how the language's own description spells them.
"""

import re

COMPOSITES = frozenset({"sequence", "selector", "parallel"})
LEAVES = frozenset({"delay", "player", "body", "emotion", "request", "stop", "speak", "set"})
TYPES = COMPOSITES | LEAVES | {"loop", "subtree"}
TYPE_ALIASES = {
    "conditional": "selector",  # ConditionalBehavior: the first child that can is the one
    "play": "player",
    "wait": "delay",
    "sleep": "delay",
    "tts": "speak",
    "say": "speak",
}
PLAYER_ACTIONS = ("play", "pause", "stop", "resume", "setVolume")
SUCCESS_POLICIES = {"SucceedOnAll": False, "SucceedOnOne": True}  # name -> one success is enough
FAILURE_POLICIES = {"FailOnOne": False, "FailOnAll": True}  # name -> all must fail

ACTION = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_CLASS_SUFFIX = re.compile(r"(behaviou?r|beahvior)$")
_PLAYER_BY_LETTERS = {action.lower(): action for action in PLAYER_ACTIONS}
_POLICY_BY_LETTERS = {name.lower(): name for name in (*SUCCESS_POLICIES, *FAILURE_POLICIES)}


def bare_type(text: str) -> str:
    """The type word without case and without the ending of a class name (``PlayBehavior`` is ``play``)."""
    lower = text.lower()
    return _CLASS_SUFFIX.sub("", lower) or lower


def node_type(text: str) -> str | None:
    """The canonical type that ``text`` spells, or None."""
    bare = bare_type(text)
    bare = TYPE_ALIASES.get(bare, bare)
    return bare if bare in TYPES else None


def policy(text: str) -> str | None:
    """The canonical policy that ``text`` spells (any case, ``SuccessOn...``, ``FailureOn...``), or None."""
    lower = text.lower()
    lower = re.sub("^success", "succeed", lower)
    return _POLICY_BY_LETTERS.get(re.sub("^failure", "fail", lower))


def player_action(text: str) -> str | None:
    """The canonical player action that ``text`` spells (any case; ``set_volume`` and the like), or None."""
    return _PLAYER_BY_LETTERS.get(re.sub("[ _-]", "", text.lower()))


def body_action(text: str) -> str | None:
    """The action in upper case with ``_`` for ``-``, space and backslash underscore; None when no name."""
    name = re.sub(r"\\_|[ -]", "_", text)
    return name.upper() if ACTION.fullmatch(name) else None
