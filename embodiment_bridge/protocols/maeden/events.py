# SPDX-License-Identifier: Apache-2.0
"""The messages of a Maeden simulator (events) and of an agent (commands). Units of the wire: cells, energy, cycles.

Views are always row 0 = the row behind the agent, row 1 its own, rows 2 to 6 one to five ahead; column 0 = two to the
left, column 4 two to the right; the agent is in row 1, column 2. A codec turns those that come the other way round.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from embodiment_bridge.wire.codec import Malformed, Unknown

ROWS: Final = 7
COLUMNS: Final = 5
OWN_ROW: Final = 1
OWN_COLUMN: Final = 2

Cell: TypeAlias = tuple[str, ...]
View: TypeAlias = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class AgentId:
    """``0``: the first line of every conversation, the decimal id of the agent. Ids are never used again."""

    offset: int
    id: str


@dataclass(frozen=True, slots=True)
class Message:
    """``(0 forward talk (command lead +) 1000)`` or ``(1 here shout (question where K left))``.

    direction: where the speaker stood, seen from the hearer: forward back left right here. volume, category and words
    are as the speaker typed them. A sentence that cannot be read has no words; ``raw`` has every one as it came.
    """

    sender: str
    direction: str
    volume: str
    category: str
    words: tuple[str, ...]
    payment: int | None
    raw: str


@dataclass(frozen=True, slots=True)
class Percept:
    """One sensory packet.

    dialect: ``T`` (nine lines), ``J1`` (array of 8 strings) or ``J4`` (array of 9, as J2 and J3 send it too).
    status: CONTINUE, DIE, SUCCESS or END; a packet without status has CONTINUE.
    smell: where the food supply is: f b l r, or h for here. inventory: newest first. ground: what else is in the own
    cell. energy: may be 0 or less. ok: what is told of the agent's own last command. world_time: cycles.
    """

    offset: int
    dialect: str
    status: str
    smell: str
    inventory: Cell
    view: View
    ground: Cell
    messages: tuple[Message, ...]
    energy: int
    ok: bool
    world_time: int
    raw: str


@dataclass(frozen=True, slots=True)
class Ending:
    """``die``, ``success`` or ``End`` on a line of its own; ``word`` is in capitals."""

    offset: int
    word: str


@dataclass(frozen=True, slots=True)
class NoPacket:
    """``8``, and no packet behind it: what a server sends in a world without food supply."""

    offset: int
    lines: int


Event: TypeAlias = AgentId | Percept | Ending | NoPacket | Unknown | Malformed


@dataclass(frozen=True, slots=True)
class Join:
    """``base``: the first line to a server of dialect T. role: base or helper; any other ends the whole server."""

    role: str


@dataclass(frozen=True, slots=True)
class Act:
    """``f``, ``g K``: one thing to do in one cycle.

    action: forward backward left right grab drop use wait attack kill. thing: for grab, drop and use only: one of
    K T G + $, or empty for the first that is there.
    """

    action: str
    thing: str = ""


@dataclass(frozen=True, slots=True)
class SayCommand:
    """``talk command lead + 1000``. volume: talk or shout; payment: energy offered, which nobody enforces."""

    volume: str
    name: str
    subject: str
    payment: int


@dataclass(frozen=True, slots=True)
class SayQuestion:
    """``talk question where K left``. volume: talk or shout; answer may be empty."""

    volume: str
    kind: str
    subject: str
    answer: str = ""


Action: TypeAlias = Act | SayCommand | SayQuestion
"""A command that takes an agent a cycle."""
Command: TypeAlias = Join | Action | Unknown
COMMANDS: Final = (Join, Act, SayCommand, SayQuestion)
