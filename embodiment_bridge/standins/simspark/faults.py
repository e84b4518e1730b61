# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a server, on purpose: to try clients with."""

import re
from dataclasses import dataclass
from random import Random

_NUMBER = re.compile(
    r"(?<=\(ax )[-0-9.]+(?=\))|(?<=\(rt )[-0-9.]+|(?<=\(a )[-0-9.]+|(?<=\(pol )[-0-9.]+|(?<=\(SLT )[-0-9.e]+"
)
UNKNOWN = "(IMG (s 2 2) (d AAAA))(foo (n bar) (val 1 2))"


@dataclass(frozen=True, slots=True)
class Faults:
    """slow_s: more time for each cycle. cut_s: hang up on a client after so long.

    nan, unknown, lost: shares (0..1) of messages that have a nan in them, lists that nobody knows, or never come.
    """

    slow_s: float = 0.0
    cut_s: float = 0.0
    nan: float = 0.0
    unknown: float = 0.0
    lost: float = 0.0

    def spoil(self, text: str, random: Random) -> str:
        """A message as it goes out; empty when it is lost."""
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
