# SPDX-License-Identifier: Apache-2.0
"""Turns the payload of one frame from RCSSServerMJ into events."""

from functools import partial
from typing import Final, TypeAlias

from embodiment_bridge.protocols.rcsssmj.dialects import Dialect
from embodiment_bridge.protocols.rcsssmj.events import Percept, ServerError, Sync
from embodiment_bridge.protocols.rcsssmj.percept_lists import PerceptParts
from embodiment_bridge.protocols.rcsssmj.percept_patterns import PerceptPatterns
from embodiment_bridge.protocols.soccer.percept_reader import MAX_LISTS, PerceptReader
from embodiment_bridge.wire.events import Malformed, Unknown

__all__ = ["MAX_LISTS", "Event", "percept_reader"]

Event: TypeAlias = Percept | Sync | ServerError | Unknown | Malformed

_SIGNALS: Final[dict[bytes, type[Sync] | type[ServerError]]] = {b"(syn)": Sync, b"(error)": ServerError}


def percept_reader(dialect: Dialect) -> PerceptReader[Percept, Sync | ServerError]:
    """A reader of the frames of one connection; it remembers the dialect and which joints to expect."""
    return PerceptReader(PerceptPatterns(dialect), partial(PerceptParts, dialect), _SIGNALS)
