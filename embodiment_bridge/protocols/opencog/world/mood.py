# SPDX-License-Identifier: Apache-2.0
"""Which emotion a body should show: the strongest feeling over its threshold, not changed too often."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from embodiment_bridge.core.errors import ConfigError

USUAL: Final = (
    "happiness=happy", "excitement=surprised", "sadness=sad", "anger=angry", "hate=disgusted", "fear=afraid",
    "love=happy", "pride=happy", "gratitude=happy",
)  # fmt: skip
THRESHOLD: Final = 0.7  # from here on an OAC calls a feeling high
KEPT: Final = 0.1  # below its threshold until a feeling that is shown counts as gone
NEUTRAL: Final = "neutral"
_ENTRY: Final = re.compile(r"([^\s=>]{1,80})(?:>([0-9.]{1,10}))?=([a-z][a-z0-9_]{0,79})")


@dataclass(frozen=True, slots=True)
class Rule:
    """The ``emotion`` (a skill of the body) of a feeling whose level is at least ``threshold``, 0..1."""

    emotion: str
    threshold: float = THRESHOLD


def rules_of(entries: Iterable[str]) -> dict[str, Rule]:
    """Rules by feeling, from ``FEELING=EMOTION`` or ``FEELING>THRESHOLD=EMOTION``; ``usual`` stands for ``USUAL``.

    Raises:
        ConfigError: an entry cannot be read.
    """
    rules: dict[str, Rule] = {}
    for entry in filter(None, entries):
        if entry == "usual":
            rules |= rules_of(USUAL)
            continue
        match = _ENTRY.fullmatch(entry)
        threshold = _number(match[2]) if match is not None and match[2] is not None else THRESHOLD
        if match is None or not 0.0 <= threshold <= 1.0:
            raise ConfigError(
                f"feelings_to_emotions: {entry!r} is not usual, FEELING=EMOTION or FEELING>0..1=EMOTION, "
                "such as fear>0.6=afraid"
            )
        rules[match[1]] = Rule(match[3], threshold)
    return rules


class Mood:
    """What is shown now, and what should be. rest_s: s between two changes."""

    def __init__(self, rules: Mapping[str, Rule], rest_s: float) -> None:
        self._rules = rules
        self._rest_s = rest_s
        self._shown = NEUTRAL
        self._since = -inf

    def wish(self, levels: Mapping[str, float], now_s: float) -> str:
        """The emotion to show now; empty when what is shown is right, or was begun too short a time ago.

        Args:
            levels: of all feelings, 0..1.
            now_s: time in s.
        """
        if now_s - self._since < self._rest_s:
            return ""
        felt = {
            rule.emotion: levels[feeling]
            for feeling, rule in sorted(self._rules.items(), key=lambda item: levels.get(item[0], 0.0))
            if levels.get(feeling, -1.0) >= rule.threshold - (KEPT if rule.emotion == self._shown else 0.0)
        }
        wanted = max(felt, key=felt.__getitem__, default=NEUTRAL)
        return "" if wanted == self._shown else wanted

    def showing(self, emotion: str, now_s: float) -> None:
        """The body begins to show an emotion, at a time in s."""
        self._shown, self._since = emotion, now_s


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0
