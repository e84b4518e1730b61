# SPDX-License-Identifier: Apache-2.0
"""The commands of an agent to the server, in the units of the wire."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import Quaternion, Vector
from embodiment_bridge.protocols.rcsssmj.robots import SPEAKER
from embodiment_bridge.protocols.soccer.command_writer import Written, number_text

MAX_SAY: Final = 10  # bytes; receivers drop longer messages
MAX_NUMBER: Final = 1e9  # MuJoCo takes a control above 1e10 for garbage and then zeroes all controls


@dataclass(frozen=True, slots=True)
class Init:
    """``(init T1 teamBlue 1)``: the first frame of a connection.

    A refusal is a closed connection and nothing else; what follows before the first percept is lost.
    """

    model: str
    team: str
    number: int


@dataclass(frozen=True, slots=True)
class Motor:
    """``(he1 q dq kp kd tau)``: drive one joint until the next command for it.

    torque = kp (q - angle) + kd (dq - rate) + tau, with kp in Nm/rad and kd in Nm s/rad, clipped to what the
    joint can give; q is not held to the joint's range. On a robot with a gear (the ant) see ``robots.Joint``.
    """

    name: str
    q_deg: float
    dq_deg_s: float
    kp: float
    kd: float
    tau_nm: float


@dataclass(frozen=True, slots=True)
class Beam:
    """``(beam x y theta)``: be somewhere else; before kick-off and after a goal only.

    The server takes -|x| for the left and |x| for the right team and y as it is, and turns theta by 180
    degrees for the right team.
    """

    x: float  # m
    y: float  # m
    theta_deg: float


@dataclass(frozen=True, slots=True)
class Say(Written):
    """``(SPK say volume base64)``: volume 0 to 100, 1 to 10 bytes (text as UTF-8), one per cycle."""

    volume: float
    message: bytes | str

    @override
    def text(self) -> str:
        volume = number("Say.volume", self.volume, 0.0, 100.0)
        message = self.message
        if isinstance(message, str):
            try:
                message = message.encode()
            except UnicodeEncodeError:
                raise CommandError(f"Say.message: {message!r} is no valid text") from None
        if not isinstance(message, bytes | bytearray):
            raise CommandError(f"Say.message: {message!r} is neither bytes nor text")
        if not 1 <= len(message) <= MAX_SAY:
            size = len(message)
            raise CommandError(f"Say.message: {message!r} has {size} bytes; it must have 1 to {MAX_SAY}")
        return f"(SPK {SPEAKER} {volume} {base64.b64encode(message).decode()})"


@dataclass(frozen=True, slots=True)
class Syn:
    """``(syn)``: no action, but a sync-mode server goes on."""


Action: TypeAlias = Motor | Beam | Say | Syn
ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)
HEADS: Final[Mapping[type, str]] = {Beam: "beam", Say: "SPK", Syn: "syn"}
"""Actions that are no motors, each with its first word: they are ``Written`` or of numbers alone."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Several actions in one wire frame, as a sync-mode server wants: one frame per percept."""

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class PlaceBall:
    """Put the ball somewhere in ``map``; for a world in this process only, as the two below."""

    position: Vector  # m
    velocity: Vector  # m/s


@dataclass(frozen=True, slots=True)
class PlacePlayer:
    """Put the torso of a robot somewhere in ``map``, joints at zero.

    team: its name, or left or right. turn: unit quaternion x y z w; None leaves it as it is.
    """

    team: str
    number: int
    position: Vector  # m
    turn: Quaternion | None


@dataclass(frozen=True, slots=True)
class Reset:
    """Begin a new game in the same world."""


Order: TypeAlias = PlaceBall | PlacePlayer | Reset

COMMANDS: Final = (Init, *ACTIONS, Frame)


def number(field: str, value: object, low: float = -MAX_NUMBER, high: float = MAX_NUMBER) -> str:
    """Return the text of a number, as ``number_text`` does, within what the simulation survives."""
    return number_text(field, value, low, high)
