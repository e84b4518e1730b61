# SPDX-License-Identifier: Apache-2.0
"""The result of a check."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Judges a check. ``WARN``: it works, perhaps not as expected. ``FAIL``: something does not work."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """Represents one line of the report: what was checked, what was found, and advice (empty if it is good)."""

    verdict: Verdict
    what: str
    text: str
    advice: str = ""

    def __str__(self) -> str:
        """Return ``fail  python: 3.9.2 has no ROS wheels; install Python 3.12``."""
        line = f"{self.verdict.value:4}  {self.what}: {self.text}"
        return f"{line}; {self.advice}" if self.advice else line

    def as_dict(self) -> dict[str, str]:
        """Return the finding as an object for JSON."""
        return {"verdict": self.verdict.value, "what": self.what, "finding": self.text, "do": self.advice}


def ok(what: str, text: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(Verdict.OK, what, text)


def warn(what: str, text: str, advice: str) -> Finding:
    """Return a finding about something that may surprise users."""
    return Finding(Verdict.WARN, what, text, advice)


def fail(what: str, text: str, advice: str) -> Finding:
    """Return a finding about something that does not work."""
    return Finding(Verdict.FAIL, what, text, advice)
