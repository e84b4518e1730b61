# SPDX-License-Identifier: Apache-2.0
"""Rules that an operator writes in one line.

The channels that the documents of a source may drive, and guard conditions (``battery >= 0.15``).
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.bml.base.conditions import KEY, Compare, Value
from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.bml.nodes.node import Document, preorder
from embodiment_bridge.bml.nodes.registry import type_of
from embodiment_bridge.body.description import AUDIO, CHANNELS
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.unicode_text import is_unicode

GUARD_FORM = "NAME OPERATOR VALUE, as battery >= 0.15"
_GUARD = re.compile(rf"\s*({KEY.pattern})\s*(<=|>=|==|!=|<|>)\s*(\S.{{0,199}}?)\s*")


def parse_guard(text: str) -> Compare:
    """Read ``battery >= 0.15``: a comparison of a named value with a number, a boolean or a text in quotes.

    Raises:
        ConfigError: it has another form.
    """
    found = _GUARD.fullmatch(text)
    value = _value(found[3]) if found else None
    if found is None or value is None:
        raise ConfigError(f"parameter guards: {text!r:.200} is not of the form {GUARD_FORM}")
    return Compare(found[1], found[2], value)


def _value(text: str) -> Value:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, bool) or (isinstance(value, str) and is_unicode(value)):
        return value
    return value if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)) else None


PARAMETER: Final = "source_channels"
FETCHED: Final = "fetched"  # the source of documents that came from a server
OTHERS: Final = "*"  # all sources that are not named
CLIENT: Final = "/"  # between the kind of a source and its client: cloud/4711
CHANNELS_FORM: Final = "SOURCE=CHANNEL,CHANNEL or SOURCE=-CHANNEL,-CHANNEL, as cloud=-legs"
EVERYTHING: Final = frozenset({*CHANNELS, AUDIO})


@dataclass(frozen=True, slots=True)
class Allowed:
    """Holds the channels that ``source`` may use; ``audio`` is all sound."""

    source: str
    channels: frozenset[str]

    def refusal(self, what: str, channels: Iterable[str]) -> str:
        """Return why a node that drives these channels is refused; empty if it is not."""
        denied = [channel for channel in channels if channel not in self.channels]
        if not denied:
            return ""
        return (
            f"{what} drives {', '.join(denied)}, which {self.source[:60]!r} may not (parameter {PARAMETER})"
        )


Table = Mapping[str, frozenset[str]]


def parse_table(entries: Iterable[str]) -> Table:
    """Return the parameter's entries; empty ones are left out.

    Raises:
        ConfigError: one has another form, an unknown channel, or a source that has one already.
    """
    table: dict[str, frozenset[str]] = {}
    for entry in entries:
        if not entry:
            continue
        source, sign, names = entry.rpartition("=")
        if not source or not sign or source in table:
            raise ConfigError(f"parameter {PARAMETER}: {entry!r:.200} is not one more {CHANNELS_FORM}")
        table[source] = _channels(names)
    return table


def _channels(text: str) -> frozenset[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    names = {word.removeprefix("-") for word in words}
    for name in sorted(names - EVERYTHING):
        raise ConfigError(f"parameter {PARAMETER}: {unknown('channel', name[:40], sorted(EVERYTHING))}")
    denied = [word for word in words if word.startswith("-")]
    if denied and len(denied) < len(words):
        raise ConfigError(f"parameter {PARAMETER}: {text!r:.100}: all channels have a '-', or none has")
    return EVERYTHING - names if denied else frozenset(names)


def allowed_to(table: Table, source: str) -> Allowed | None:
    """Return the channels that a source may use; None: all.

    A client ``mcp/4711`` may use those of the kind ``mcp``.
    """
    channels = table.get(source, table.get(source.partition(CLIENT)[0], table.get(OTHERS)))
    return None if channels is None else Allowed(source, channels)


def allowed_fetched(table: Table, source: str) -> Allowed | None:
    """Return the channels for documents that runs of ``source`` have fetched: those that both may use."""
    own, fetched = allowed_to(table, source), table.get(FETCHED)
    if fetched is None:
        return own
    return Allowed(FETCHED, fetched if own is None else fetched & own.channels)


def check_channels(
    document: Document, skills: Mapping[str, SkillInfo], allowed: Allowed | None
) -> list[Problem]:
    """Return an error for each leaf that drives a channel which is not allowed, also where the body lacks it."""
    if allowed is None:
        return []
    problems = []
    for node in preorder(document.root):
        use = type_of(node).uses(node, skills)
        reason = "" if use is None else allowed.refusal(use.what, use.channels)
        if use is not None and reason:
            problems.append(Problem(f"{node.pointer}/{use.key}", "CHANNEL_NOT_ALLOWED", reason))
    return problems
