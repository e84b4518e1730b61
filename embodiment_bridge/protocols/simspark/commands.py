# SPDX-License-Identifier: Apache-2.0
"""What an agent tells rcssserver3d, in the units of the wire."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.soccer.command_writer import Written

MAX_SAY: Final = 20  # characters; the server drops longer messages silently
WORD: Final = re.compile(r"[!-'*-~]+")  # printable, no blank, no parentheses


@dataclass(frozen=True, slots=True)
class Scene:
    """``(scene rsg/agent/nao/nao_hetero.rsg 3)``: which robot to be; the first frame of a connection.

    A file that is not there is not answered at all.
    """

    file: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Init:
    """``(init (unum 1)(teamname alpha))``: into which team; lost before the first percept.

    number 0 is the next free one. A refusal is that no number and side come back.
    """

    number: int
    team: str


@dataclass(frozen=True, slots=True)
class Hinge:
    """``(lae3 1.2)``: turn one joint at this speed until the next command for it."""

    name: str
    speed_rad_s: float


@dataclass(frozen=True, slots=True)
class Universal:
    """``(lae1_2 1.2 -0.5)``: turn a joint of two axes, of old soccerbots."""

    name: str
    first_rad_s: float
    second_rad_s: float


@dataclass(frozen=True, slots=True)
class Beam:
    """``(beam x y rot)``: be somewhere else in the own half; before kick-off and after a goal only.

    Seen from the own side, for both teams: x < 0 is the own half, angle 0 looks at the opponents' goal.
    """

    x: float  # m
    y: float  # m
    theta_deg: float


@dataclass(frozen=True, slots=True)
class Say(Written):
    """``(say hello)``: 1 to 20 characters from ``!`` to ``~`` without parentheses."""

    message: str

    @override
    def text(self) -> str:
        message = self.message
        if not isinstance(message, str):
            raise CommandError(f"Say.message: {message!r} is no text")
        if not 1 <= len(message) <= MAX_SAY:
            raise CommandError(
                f"Say.message: text {message[:40]!r} has {len(message)} characters; the server carries 1 to {MAX_SAY}"
            )
        if not WORD.fullmatch(message):
            bad = next(c for c in message if not WORD.fullmatch(c))
            raise CommandError(
                f"Say.message: text {message!r} has the character {bad!r}; "
                "the server carries '!' to '~' without ( and )"
            )
        return f"(say {message})"


@dataclass(frozen=True, slots=True)
class Pass:
    """``(pass)``: ask for the play mode in which opponents must keep away, from 0.7.2 on."""


@dataclass(frozen=True, slots=True)
class Syn:
    """``(syn)``: no action, but a server in sync mode goes on."""


Action: TypeAlias = Hinge | Universal | Beam | Say | Pass | Syn | Init
ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)
HEADS: Final[Mapping[type, str]] = {Beam: "beam", Say: "say", Pass: "pass", Syn: "syn"}
"""Actions that are the same for every robot, each with its first word: they are ``Written`` or of numbers alone."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Several actions in one wire frame: one frame per percept."""

    actions: tuple[Action, ...]


COMMANDS: Final = (Scene, *ACTIONS, Frame)
