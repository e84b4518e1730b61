# SPDX-License-Identifier: Apache-2.0
"""Serves the agent port of the stand-in: percepts in the order and form of rcssserver3d 0.7.3, and faults on request.

They are not written by the rows of the protocol's codec, so that a mistake there is not repeated here.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, isfinite, pi, radians, sin
from random import Random
from typing import Final, Protocol

from typing_extensions import override

from embodiment_bridge.standins.simspark.anatomy import (
    Matrix,
    Vector,
    add,
    apply,
    multiply,
    subtract,
    transposed,
)
from embodiment_bridge.standins.simspark.orders import Orders
from embodiment_bridge.standins.simspark.player import WEIGHT_N, Player
from embodiment_bridge.standins.simspark.world import FIELD_LENGTH, FIELD_WIDTH, World

# The camera in the head of a Nao: a view of 120 x 120 degrees without occlusion; own limbs are seen.
HALF_VIEW_DEG: Final = 60.0
NEAREST: Final = 0.1  # m
CALIBRATION_M: Final = 0.005  # largest constant error of a camera's place, per axis
DISTANCE_SIGMA: Final = 0.000965  # m per m
AZIMUTH_SIGMA: Final = 0.1480  # deg
ELEVATION_SIGMA: Final = 0.1225  # deg

_X, _Y, _G = FIELD_LENGTH / 2, FIELD_WIDTH / 2, 1.05
FLAGS: Final[dict[str, Vector]] = {
    "G2R": (_X, -_G, 0.8), "G1R": (_X, _G, 0.8), "G1L": (-_X, _G, 0.8), "G2L": (-_X, -_G, 0.8),
    "F1L": (-_X, _Y, 0.0), "F1R": (_X, _Y, 0.0), "F2L": (-_X, -_Y, 0.0), "F2R": (_X, -_Y, 0.0),
}  # fmt: skip
MARKERS: Final = ("head", "rlowerarm", "llowerarm", "rfoot", "lfoot")  # of a player, that others see


def _lines() -> tuple[tuple[Vector, Vector], ...]:
    box_x, box_y, circle = _X - 1.8, 3.0, 2.0
    flat = [((0.0, -_Y), (0.0, _Y)), ((-_X, -_Y), (-_X, _Y)), ((_X, -_Y), (_X, _Y))]
    flat += [((-_X, _Y), (_X, _Y)), ((-_X, -_Y), (_X, -_Y))]
    for s in (-1.0, 1.0):
        flat += [((s * box_x, -box_y), (s * box_x, box_y))]
        flat += [((s * box_x, y), (s * _X, y)) for y in (-box_y, box_y)]
    ring = [(circle * cos(pi * i / 5), circle * sin(pi * i / 5)) for i in range(11)]
    flat += list(itertools.pairwise(ring))
    return tuple(((a, b, 0.0), (c, d, 0.0)) for (a, b), (c, d) in flat)


LINES: Final = _lines()


class Eye:
    """The camera of one player; ``random`` is None for a camera without noise."""

    def __init__(self, random: Random | None) -> None:
        self._random = random
        offset = [random.uniform(-CALIBRATION_M, CALIBRATION_M) if random else 0.0 for _ in range(3)]
        self._offset: Vector = (offset[0], offset[1], offset[2])

    def see(self, world: World, me: Player, *, true_pose: bool = False) -> str:
        """The ``See`` list of this moment."""
        head = me.parts["head"]
        turn = multiply(me.turn, head.turn)
        place = add(me.place, apply(me.turn, head.place))
        view = _View(place, transposed(turn), self)
        shown = [_point(name, view.polar(there)) for name, there in FLAGS.items()]
        shown.append(_point("B", view.polar(world.ball.place)))
        shown += [_player(view, other) for other in world.players if other.side]
        shown += [_line(view, a, b) for a, b in LINES]
        if true_pose:
            sign = -1.0 if me.side == "right" else 1.0
            x, y, z = place  # of the head, as rcssserver3d tells it
            ahead = apply(turn, (0.0, 1.0, 0.0))
            shown.append(f"(mypos {sign * x:.2f} {sign * y:.2f} {z:.2f})")
            shown.append(f"(myorien {degrees(atan2(sign * ahead[1], sign * ahead[0])):.2f})")
        return f"(See {' '.join(part for part in shown if part)})"

    def off(self, there: Vector) -> Vector:
        """A point of the camera's frame with the constant error of this camera."""
        return add(there, self._offset)

    def blur(self, distance: float, azimuth: float, elevation: float) -> tuple[float, float, float]:
        """Noise on one detection: m, deg, deg."""
        if self._random is None:
            return distance, azimuth, elevation
        return (
            distance + self._random.gauss(0.0, DISTANCE_SIGMA * distance),
            azimuth + self._random.gauss(0.0, AZIMUTH_SIGMA),
            elevation + self._random.gauss(0.0, ELEVATION_SIGMA),
        )


class _View:
    """The world in the frame of one camera at one moment."""

    def __init__(self, place: Vector, into: Matrix, eye: Eye) -> None:
        self._place, self._into, self._eye = place, into, eye

    def local(self, there: Vector) -> Vector:
        """A point of the world in the camera's frame (x right, y forward)."""
        return self._eye.off(apply(self._into, subtract(there, self._place)))

    def polar(self, there: Vector) -> str:
        """The text of a detection; empty when it is out of view."""
        return self.text(self.local(there))

    def text(self, local: Vector, slack: float = 0.0) -> str:
        """The same for a point in the camera's frame; up to ``slack`` deg outside the view are accepted."""
        distance, azimuth, elevation = _polar(local)
        if distance < NEAREST or max(abs(azimuth), abs(elevation)) > HALF_VIEW_DEG + slack:
            return ""
        blurred = self._eye.blur(distance, azimuth, elevation)
        return "(pol {:.2f} {:.2f} {:.2f})".format(*blurred)


def _polar(local: Vector) -> tuple[float, float, float]:
    x, y, z = local
    flat = hypot(x, y)
    return hypot(flat, z), degrees(atan2(-x, y)), degrees(atan2(z, flat))


def _point(name: str, polar: str) -> str:
    return f"({name} {polar})" if polar else ""


def _player(view: _View, other: Player) -> str:
    parts = other.parts
    turn = other.turn
    seen = [_point(name, view.polar(add(other.place, apply(turn, parts[name].place)))) for name in MARKERS]
    if not any(seen):
        return ""
    return f"(P (team {other.team}) (id {other.number}) {' '.join(part for part in seen if part)})"


def _line(view: _View, start: Vector, end: Vector) -> str:
    """The part of a line between the planes that bound the view and meet in the camera."""
    a, b = view.local(start), view.local(end)
    if not isfinite(sum(a) + sum(b)):
        return ""
    c, s = cos(radians(HALF_VIEW_DEG)), sin(radians(HALF_VIEW_DEG))
    low, high = 0.0, 1.0
    for nx, ny, nz in ((c, s, 0.0), (-c, s, 0.0), (0.0, s, c), (0.0, s, -c)):
        da, db = nx * a[0] + ny * a[1] + nz * a[2], nx * b[0] + ny * b[1] + nz * b[2]
        if da < 0.0 and db < 0.0:
            return ""
        if da < 0.0:
            low = max(low, da / (da - db))
        elif db < 0.0:
            high = min(high, da / (da - db))
    if low >= high:
        return ""
    ends = [tuple(p + t * (q - p) for p, q in zip(a, b, strict=True)) for t in (low, high)]
    texts = [view.text(point, slack=30.0) for point in ends]  # type: ignore[arg-type]
    return f"(L {texts[0]} {texts[1]})" if all(texts) else ""


SEE_EVERY = 3  # percepts
_FOOT_OF = {"rlj5": ("rf", "rfoot"), "llj5": ("lf", "lfoot")}  # joint after which the force of a foot is sent
_TOES_OF = {"rlj6": ("rf1", "rfoot"), "llj6": ("lf1", "lfoot")}  # likewise, of a robot that has them


class Perceptors:
    """The sensors of one player. ``true_pose``: also send its true pose (mypos, myorien)."""

    def __init__(self, world: World, player: Player, *, true_pose: bool = False) -> None:
        self._world = world
        self._player = player
        self._eye = Eye(world.random if world.noise else None)
        self._true_pose = true_pose
        self._count = 0
        toes = any(joint.name == "rlj7" for joint in player.robot.joints)
        self._soles = {**_FOOT_OF, **_TOES_OF} if toes else _FOOT_OF

    def percept(self) -> str:
        """The message of this cycle."""
        text = "".join(self._lists())
        self._count += 1
        return text

    def _lists(self) -> Iterator[str]:
        player = self._player
        yield f"(time (now {self._world.now:.2f}))"
        yield self._game()
        while player.heard:
            yield player.heard.popleft()
        yield "(GYR (n torso) (rt {:.2f} {:.2f} {:.2f}))".format(*player.rates)
        yield "(ACC (n torso) (a {:.2f} {:.2f} {:.2f}))".format(*player.acceleration)
        for joint in player.robot.joints:
            if joint.name == "raj1" and self._count % SEE_EVERY == 0:
                yield self._eye.see(self._world, player, true_pose=self._true_pose)
            yield f"(HJ (n {joint.name}) (ax {player.angles[joint.name]:.2f}))"
            if joint.name in self._soles:
                yield self._foot(*self._soles[joint.name])

    def _game(self) -> str:
        game, player = self._world.game, self._player
        who = ""
        if player.side and not player.told_side:
            player.told_side = True
            who = f"(unum {player.number}) (team {player.side}) "
        scores = f"(sl {game.scores['left']}) (sr {game.scores['right']})"
        return f"(GS {who}{scores} (t {game.time:.2f}) (pm {game.play_mode}))"

    def _foot(self, name: str, part: str) -> str:
        """The ground force in the foot's frame: the standing soles share the weight."""
        standing = self._player.on_ground
        if part not in standing:
            return ""
        up = (0.0, 0.0, WEIGHT_N * 2 / (len(standing) * len(self._soles)))
        force = apply(transposed(self._player.parts[part].turn), up)
        return "(FRP (n {}) (c 0.00 -0.01 -0.01) (f {:.2f} {:.2f} {:.2f}))".format(name, *force)


_NUMBER = re.compile(
    r"(?<=\(ax )[-0-9.]+(?=\))|(?<=\(rt )[-0-9.]+|(?<=\(a )[-0-9.]+|(?<=\(pol )[-0-9.]+|(?<=\(SLT )[-0-9.e]+"
)
UNKNOWN = "(IMG (s 2 2) (d AAAA))(foo (n bar) (val 1 2))"


@dataclass(frozen=True, slots=True)
class Faults:
    """slow_s: additional time per cycle, s. cut_s: time after which a client is disconnected, s.

    burst: cycles that are run in a row, as a server does that is short of time; nothing is read meanwhile.
    nan, unknown, lost: shares (0..1) of messages with a nan, with unknown lists, or that are not sent.
    """

    slow_s: float = 0.0
    cut_s: float = 0.0
    nan: float = 0.0
    unknown: float = 0.0
    lost: float = 0.0
    burst: int = 1

    def spoil(self, text: str, random: Random) -> str:
        """The message with its faults; empty if it is lost."""
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


SYNC_AFTER = 5  # percepts after which a server in sync mode waits for agents


class Conversation(Protocol):
    """The conversation with one client of a port."""

    def hear(self, payload: bytes) -> None:
        """Handle a frame of the client."""

    def message(self) -> str:
        """The message of this cycle to the client; empty if there is none."""

    def waits(self) -> bool:
        """Whether a world in sync mode has to wait, because this client has not answered yet."""
        return False

    def leave(self) -> None:
        """Handle the end of the connection."""
        return


class AgentConversation(Conversation):
    """The conversation with a player. A robot that was killed gets its last percept again and again."""

    def __init__(self, world: World, faults: Faults, random: Random, *, true_pose: bool) -> None:
        self._world = world
        self._faults = faults
        self._random = random
        self._true_pose = true_pose
        self._orders = Orders(world)
        self._perceptors: Perceptors | None = None
        self._last = ""
        self._count = 0
        self._answered = False

    @override
    def hear(self, payload: bytes) -> None:
        self._orders.obey(payload)
        self._answered = self._answered or self._orders.synced

    @override
    def message(self) -> str:
        player = self._orders.player
        if player is None:
            return ""
        if not player.frozen:
            if self._perceptors is None:
                self._perceptors = Perceptors(self._world, player, true_pose=self._true_pose)
            self._last = self._perceptors.percept()
            self._orders.ready = True
        self._count += 1
        self._answered = False
        return self._faults.spoil(self._last, self._random)

    @override
    def waits(self) -> bool:
        player = self._orders.player
        return player is not None and not player.frozen and self._count >= SYNC_AFTER and not self._answered

    @override
    def leave(self) -> None:
        if self._orders.player is not None:
            self._world.remove(self._orders.player)


class Recorded(Conversation):
    """A recorded stream. It starts with the first frame of the client, and repeats its last message at the end."""

    def __init__(self, messages: tuple[str, ...], faults: Faults, random: Random, *, at_once: bool) -> None:
        self._messages: Iterator[str] = iter(messages)
        self._faults = faults
        self._random = random
        self._begun = at_once
        self._last = ""

    @override
    def hear(self, payload: bytes) -> None:
        self._begun = True

    @override
    def message(self) -> str:
        if not self._begun:
            return ""
        self._last = next(self._messages, self._last)
        return self._faults.spoil(self._last, self._random)
