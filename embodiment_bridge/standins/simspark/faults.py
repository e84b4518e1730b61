# SPDX-License-Identifier: Apache-2.0
"""Faults of a server on request, for testing clients."""

import re
from dataclasses import dataclass
from random import Random

_NUMBER = re.compile(
    r"(?<=\(ax )[-0-9.]+(?=\))|(?<=\(rt )[-0-9.]+|(?<=\(a )[-0-9.]+|(?<=\(pol )[-0-9.]+|(?<=\(SLT )[-0-9.e]+"
)
UNKNOWN = "(IMG (s 2 2) (d AAAA))(foo (n bar) (val 1 2))"


@dataclass(frozen=True, slots=True)
class Faults:
    """slow_s: additional time per cycle, s. cut_s: time after which a client is disconnected, s.

    burst: cycles that are run in a row, as a server does that is short of time; nothing is read meanwhile.
    nan, unknown, lost: shares (0..1) of messages with a nan, with unknown lists, or that are not sent.
    """

    slow_s: float = 0.0
    cut_s: float = 0.0
    nan: float = 0.0
    unknown: float = 0.0
    lost: float = 0.0
    burst: int = 1

    def spoil(self, text: str, random: Random) -> str:
        """The message with its faults; empty if it is lost."""
        if self.lost and random.random() < self.lost:
            return ""
        if self.nan and random.random() < self.nan:
            found = list(_NUMBER.finditer(text))
            if found:
                hit = random.choice(found)
                text = f"{text[: hit.start()]}nan{text[hit.end() :]}"
        if self.unknown and random.random() < self.unknown:
            text += UNKNOWN
        return text
