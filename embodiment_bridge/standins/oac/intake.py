# SPDX-License-Identifier: Apache-2.0
"""Checks a message by schema and time stamps as an OAC does, and processes its elements in the OAC's own order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from lxml import etree

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.opencog.xml.events import (
    DIALECTS,
    AgentSensorInfo,
    AgentSignal,
    AvatarSignal,
    BlockStructureSignal,
    EmbodimentMsg,
    Event,
    FinishedFirstTimePerceptTerrianSignal,
    Instruction,
    MapInfo,
    StateInfo,
    TerrainInfo,
)
from embodiment_bridge.protocols.opencog.xml.wire_values import centiseconds
from embodiment_bridge.protocols.opencog.xml.xml_documents import read
from embodiment_bridge.protocols.opencog.xml.xml_parse import Limits
from embodiment_bridge.wire.codec import Malformed, Unknown

# Checks whether an OAC accepts a message: validates it by a schema as its XML parser does, and checks time stamps.
#
# A real OAC compares every message with its schema whenever it finds the file, and drops the whole message at the first
# fault silently (final OpenCog, reproduced with Xerces-C 3.2.4 in its configuration). The schemas here are our own.

FOLDER: Final = Path(__file__).with_name("schema")
MOST_PROBLEMS: Final = 20
_DECLARATION: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml[^<>\x80-\xff]{0,300}\?>")


def validate(data: bytes, dialect: str = "final") -> list[str]:
    """Faults of a document for an OAC of a dialect; empty if the OAC accepts it.

    Raises:
        ConfigError: there is no such dialect.
    """
    schema = _schema(dialect)
    root, problems = _well_formed(data, Limits())
    if root is None or problems:
        return problems
    if schema.validate(root):
        return []
    return [f"line {error.line}: {error.message}"[:300] for error in schema.error_log][:MOST_PROBLEMS]


def well_formed(data: bytes) -> list[str]:
    """Faults of a document for an OAC without a schema."""
    return _well_formed(data, Limits())[1]


@cache
def _schema(dialect: str) -> Any:
    if dialect not in DIALECTS:
        raise ConfigError(unknown("dialect", dialect, DIALECTS))
    return etree.XMLSchema(etree.parse(FOLDER / f"{dialect}.xsd"))


def _well_formed(data: bytes, limits: Limits) -> tuple[Any | None, list[str]]:
    """The root of a document, read as UTF-8: like the parser of a real OAC, it ignores the declared encoding."""
    if len(data) > limits.max_bytes or data.count(b"<") + data.count(b"=") > limits.max_marks:
        return None, [f"document of {len(data)} bytes is over the limits"]
    if b"<!DOCTYPE" in data:
        return None, ["a document type is not allowed"]
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(_DECLARATION.sub(b"", data, count=1), parser), []
    except (etree.XMLSyntaxError, ValueError) as error:
        return None, [f"not XML: {' '.join(str(error).split())}"[:300]]


# A communication is not processed here: it has to be sent as a message of type RAW.
ORDER: Final = (
    MapInfo,
    TerrainInfo,
    AvatarSignal,
    AgentSignal,
    Instruction,
    AgentSensorInfo,
    StateInfo,
    BlockStructureSignal,
    FinishedFirstTimePerceptTerrianSignal,
)
OWN_TYPES: Final = (None, "pet", "avatar", "humanoid")


@dataclass(frozen=True, slots=True)
class Intake:
    """The result of one message.

    events: processed events, in the order of processing. problems: why all or the rest of it was dropped.
    dropped: parts that were too old, or that this OAC ignores.
    """

    events: tuple[Event, ...] = ()
    problems: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class OacIntake:
    """The receiving side of one OAC. Its time never goes back.

    Args:
        dialect: of the schema and of the processing: blips in ``seed``, payloads in ``final``.
        validating: whether it has found its schema. Without one it accepts any XML.
    """

    def __init__(self, dialect: str = "final", validating: bool = True) -> None:
        self._dialect = dialect
        self._validating = validating
        self.latest = 0  # time of an OAC, hundredths of a second since 2008

    def take(self, data: bytes) -> Intake:
        """Process one message completely or not at all, except for errors that only appear during processing."""
        problems = validate(data, self._dialect) if self._validating else well_formed(data)
        if problems:
            return Intake(problems=tuple(problems))
        found = read(data, dialect=self._dialect)
        if not found or not isinstance(found[0], EmbodimentMsg):
            return Intake(problems=("not a message of a proxy",))
        done: list[Event] = []
        dropped: list[str] = []
        left_alone = {type(e).__name__ for e in found[1:] if type(e) not in (*ORDER, Malformed, Unknown)}
        dropped += [f"{name} is left alone" for name in sorted(left_alone)]
        try:
            for event in self._ordered(found[1:]):
                kept = self._admit(event, dropped)
                if kept is not None:
                    done.append(kept)
        except ValueError as error:
            return Intake(tuple(done), (f"{error}; the rest of the message is dropped",), tuple(dropped))
        return Intake(tuple(done), (), tuple(dropped))

    def _ordered(self, events: Iterable[Event | Malformed | Unknown]) -> Iterable[Event]:
        """Sort events in the order of processing; unreadable ones come first, because they stop everything."""
        everything = list(events)
        for event in everything:
            if isinstance(event, Malformed):
                raise ValueError(event.reason)
        for kind in ORDER:
            yield from (event for event in everything if type(event) is kind)

    def _admit(self, event: Event, dropped: list[str]) -> Event | None:
        """The event, or what is left of it; None where it is too old.

        Raises:
            ValueError: it stops everything.
        """
        match event:
            case MapInfo() if self._dialect != "final":
                kept = tuple(blip for blip in event.blips if self._is_new("blip", blip.timestamp, dropped))
                return replace(event, blips=kept)
            case AvatarSignal() if event.type not in OWN_TYPES:
                raise ValueError(f"avatar-signal of type {event.type!r}")
            case MapInfo() | TerrainInfo() | AvatarSignal() | AgentSignal() | StateInfo():
                return event if self._is_new(type(event).__name__, event.timestamp, dropped) else None
        return event

    def _is_new(self, what: str, stamp: str | None, dropped: list[str]) -> bool:
        """Whether the time stamp is not older than the last one.

        Raises:
            ValueError: the text is not a time stamp.
        """
        time = centiseconds(stamp or "")
        if time < self.latest:
            dropped.append(f"{what} of {stamp} is older than what came before")
            return False
        self.latest = time
        return True
