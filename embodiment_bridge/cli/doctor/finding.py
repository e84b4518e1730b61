# SPDX-License-Identifier: Apache-2.0
"""What a check says."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """``WARN``: it works, but not as somebody may expect. ``FAIL``: something does not work."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, what was found, and what to do about it (empty when it is good)."""

    verdict: Verdict
    what: str
    text: str
    advice: str = ""

    def __str__(self) -> str:
        """``fail  python: 3.9.2 has no ROS wheels; install Python 3.12``."""
        line = f"{self.verdict.value:4}  {self.what}: {self.text}"
        return f"{line}; {self.advice}" if self.advice else line

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return {"verdict": self.verdict.value, "what": self.what, "finding": self.text, "do": self.advice}


def ok(what: str, text: str) -> Finding:
    """All is well."""
    return Finding(Verdict.OK, what, text)


def warn(what: str, text: str, advice: str) -> Finding:
    """Works, but not as somebody may expect."""
    return Finding(Verdict.WARN, what, text, advice)


def fail(what: str, text: str, advice: str) -> Finding:
    """Does not work."""
    return Finding(Verdict.FAIL, what, text, advice)
