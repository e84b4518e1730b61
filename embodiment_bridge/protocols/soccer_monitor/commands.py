# SPDX-License-Identifier: Apache-2.0
"""The commands of a trainer to a soccer server, in the units of the wire, and how servers differ in them.

No server answers any of them; what it does not like it ignores. rcssservermj 0.2.1 takes those of ``RCSSSMJ_COMMANDS``
and does nothing with the others. Several lists may stand side by side in one frame; in one list around them they are
ignored by both servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

# The differences between servers in the commands of a trainer, as data.

NOBODY: Final = -1  # the number that deselects all
SIDES: Final = {"left": "Left", "right": "Right"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Describes how one server takes trainer commands.

    yaw_offset_deg: added to a yaw (0 along x, positive left) for its ``move``. can_ask: it obeys ``reqfullstate``.
    ignored: services of which it does nothing, and why. can_weaken: battery and temperature can be set.
    needs_position: of agent and ball. free_poses: players may lie, and teams may be told by name.
    notes: by service, what else people should know of what it does.
    """

    server: str
    yaw_offset_deg: float
    can_ask: bool
    can_weaken: bool
    needs_position: bool
    free_poses: bool
    ignored: Mapping[str, str]
    notes: Mapping[str, str]


Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Agent:
    """``(agent (unum 1)(team Left)(pos x y z)(move x y z rot)(battery v)(temperature v))``.

    pos: m, keeps the orientation in SimSpark, ends it in rcssservermj. move: m and degrees, with an absolute rot: in
    SimSpark 0 looks along y and -90 along x; in rcssservermj 0 looks along x. SimSpark 0.3.2 sets the battery with
    temperature too; rcssservermj knows neither, and wants a place. To it alone team may also be the name of a team, and
    it alone takes move3d: m, and the unit quaternion w x y z.
    """

    number: int
    team: str
    pos: Triple | None = None
    move: tuple[float, float, float, float] | None = None
    battery: float | None = None
    temperature: float | None = None
    move3d: tuple[float, float, float, float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Ball:
    """``(ball (pos x y z)(vel x y z))``, m and m/s; rcssservermj needs pos, and takes no vel for a vel of 0."""

    pos: Triple | None = None
    vel: Triple | None = None


@dataclass(frozen=True, slots=True)
class DropBall:
    """``(dropBall)``: to the ground where it is; play goes on."""


@dataclass(frozen=True, slots=True)
class KickOff:
    """``(kickOff Left)``: Left, Right, or None for SimSpark's coin, or the side whose turn it is in a new half."""

    team: str


@dataclass(frozen=True, slots=True)
class PlayMode:
    """``(playMode PlayOn)``: one of the names that the server has told."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """``(select (unum 1)(team Left))``: this player alone; the next one without both; number -1 alone: nobody."""

    number: int | None = None
    team: str | None = None


@dataclass(frozen=True, slots=True)
class Kill:
    """``(kill (unum 1)(team Left))``: take this player out of the game, or the selected one without both.

    SimSpark 0.3.2 does not close its connection but repeats the last percept for ever.
    """

    number: int | None = None
    team: str | None = None


@dataclass(frozen=True, slots=True)
class Repos:
    """``(repos (unum 1)(team Left))``: put this player, or the selected one, beside the field, away from the ball."""

    number: int | None = None
    team: str | None = None


@dataclass(frozen=True, slots=True)
class Time:
    """``(time 12.5)``: s of play."""

    time_s: float


@dataclass(frozen=True, slots=True)
class Score:
    """``(score (left 1)(right 0))``."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class RequestFullState:
    """``(reqfullstate)``: send everything once more, to all monitors."""


@dataclass(frozen=True, slots=True)
class KillSim:
    """``(killsim)``: end the server."""


@dataclass(frozen=True, slots=True)
class GetAck:
    """``(getAck cookie)``: SimSpark 0.3.2 takes it and never answers."""

    cookie: str


Single: TypeAlias = (
    Agent
    | Ball
    | DropBall
    | KickOff
    | PlayMode
    | Select
    | Kill
    | Repos
    | Time
    | Score
    | RequestFullState
    | KillSim
    | GetAck
)


@dataclass(frozen=True, slots=True)
class Frame:
    """Several commands in one frame: the server obeys all of them in the same cycle."""

    commands: tuple[Single, ...]


Command: TypeAlias = Single | Frame
COMMANDS: Final = (
    Agent,
    Ball,
    DropBall,
    KickOff,
    PlayMode,
    Select,
    Kill,
    Repos,
    Time,
    Score,
    RequestFullState,
    KillSim,
    GetAck,
    Frame,
)
RCSSSMJ_COMMANDS: Final = (Agent, Ball, DropBall, KickOff, Frame)
