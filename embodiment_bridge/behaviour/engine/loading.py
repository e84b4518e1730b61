# SPDX-License-Identifier: Apache-2.0
"""Makes a document that can be run here from text, or the reasons why not; hashes tell its texts apart."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from embodiment_bridge.bml import Document, Problem
from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.reading.reader import read
from embodiment_bridge.bml.rules.checker import check
from embodiment_bridge.bml.rules.operator_rules import Allowed, check_channels
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError

KEPT = 100  # documents of a run; of a chain only the latest are asked for


def hash_of(text: str | bytes) -> str:
    """Return the SHA-256 of a document's text, 64 hexadecimal digits."""
    return hashlib.sha256(
        text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
    ).hexdigest()


class DocumentHashes:
    """Holds the hashes of the texts of a run's documents by number; events carry them to tell documents apart."""

    def __init__(self) -> None:
        self._hashes: OrderedDict[int, str] = OrderedDict()

    def keep(self, number: int, text: str | bytes) -> None:
        """Note the text of document ``number``."""
        self._hashes[number] = hash_of(text)
        if len(self._hashes) > KEPT:
            self._hashes.popitem(last=False)

    def of(self, number: int) -> str:
        """Return the hash of document ``number``; empty when its text was never known, or long ago."""
        return self._hashes.get(number, "")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Holds a document that was read and checked, and can be run.

    doubts: what is doubtful in it. text: what it was read from; None where it came as a document. number: its place
    among the documents of its run; 0 is the one that the run begins with.
    """

    document: Document
    doubts: tuple[Problem, ...] = ()
    text: str | bytes | None = None
    number: int = 0


Source = Document | Loaded | str | bytes


@dataclass(frozen=True, slots=True)
class Rules:
    """Holds the rules for a document: what it may ask for, and how its text is read.

    ``skills`` are those of the body, by lower-case name; the others are options of ``bml.read`` and
    ``check``. ``allowed`` are the channels that the document may drive, ``allowed_fetched`` those of documents that it
    fetches; None: all.
    """

    skills: Mapping[str, SkillInfo] = field(default_factory=dict)
    urls: UrlPolicy = field(default_factory=UrlPolicy)
    strict: bool = False
    volume_scale: str = "percent"
    limits: Limits = field(default_factory=Limits)
    subtrees: Mapping[str, str | bytes] = field(default_factory=dict)
    allowed: Allowed | None = None
    allowed_fetched: Allowed | None = None

    @property
    def of_fetched(self) -> "Rules":
        """The rules of documents that a document under these rules has fetched."""
        return self if self.allowed == self.allowed_fetched else replace(self, allowed=self.allowed_fetched)


class Rejected(ConfigError):  # noqa: N818 - the outcome of that name, on its way
    """Reports a document that cannot be run; ``problems`` says why, at which JSON pointers."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problem for problem in problems if problem.fatal)
        first = str(self.problems[0]) if self.problems else "no document"
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(first + more)

    @classmethod
    def because(cls, pointer: str, code: str, message: str) -> "Rejected":
        """Make the error for one reason."""
        return cls([Problem(pointer, code, message)])


def load(source: Document | str | bytes, rules: Rules, *, speech: bool) -> Loaded:
    """Read a document when it is text, and check it against what the body can do.

    Args:
        source: JSON text, or a document that was read before.
        rules: what it may ask for.
        speech: whether text can become sound.

    Raises:
        Rejected: something in it is wrong.
    """
    problems: list[Problem] = []
    if isinstance(source, Document):
        document: Document | None = source
        text, readable, located = None, document, None
    else:
        text = source
        result = read(
            source,
            strict=rules.strict,
            limits=rules.limits,
            volume_scale=rules.volume_scale,
            subtrees=rules.subtrees,
        )
        located = result.located
        document, readable, problems = result.document, result.readable, list(result.problems)
    if readable is not None:
        problems += check(readable, rules.skills, speech=speech, urls=rules.urls)
        problems += check_channels(readable, rules.skills, rules.allowed)
        problems = located(problems) if located else problems
    if document is None or any(problem.fatal for problem in problems):
        raise Rejected(problems)
    return Loaded(document, tuple(problems), text)
