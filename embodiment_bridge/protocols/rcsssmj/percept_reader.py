# SPDX-License-Identifier: Apache-2.0
"""Reads a percept of RCSSServerMJ in either order of the numbers of a ``pol``.

With regular expressions where it has the usual shape, else list by list.
"""

import base64
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.rcsssmj.events import Percept, PointDetection, ServerError, Sync
from embodiment_bridge.protocols.soccer import percepts
from embodiment_bridge.protocols.soccer.codec import MAX_LISTS, PerceptReader
from embodiment_bridge.protocols.soccer.list_fields import (
    INTEGER,
    NUMBER,
    BadListError,
    Fields,
    atom,
    number,
    quote,
)
from embodiment_bridge.protocols.soccer.percepts import Agent, Polar, good_ones, seen
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.sexpr import ATOM, Node

# The two orders of the three numbers of a ``pol``, and how to tell them apart.

CURRENT: Final = "0.2.1"  # (pol distance azimuth elevation): what rcssservermj sends
SEED: Final = "seed"  # (pol azimuth elevation distance): what the text of its older documentation says


class Dialect:
    """The order in use on one connection: as told, or else found from what the server sends."""

    def __init__(self, name: str | None = None) -> None:
        """Use the order ``name``; None finds it from the stream, beginning with that of 0.2.1.

        Raises:
            ConfigError: there is no such dialect.
        """
        if name not in (None, CURRENT, SEED):
            raise ConfigError(unknown("dialect", str(name), (CURRENT, SEED)))
        self.name = name or CURRENT
        self._told = name is not None

    def look_at(self, first: Sequence[float], third: Sequence[float]) -> None:
        """Learn from the first and third numbers of all detections of a picture: no distance is negative."""
        if self._told:
            return
        distance, angle = (first, third) if self.name == CURRENT else (third, first)
        if any(value < 0.0 for value in distance) and not any(value < 0.0 for value in angle):
            self.name = SEED if self.name == CURRENT else CURRENT

    @property
    def detection(self) -> Callable[[str, float, float, float], PointDetection]:
        """What makes a detection of a name and the three numbers in the order of the wire."""
        return PointDetection if self.name == CURRENT else _seed_detection


def _seed_detection(name: str, azimuth: float, elevation: float, distance: float) -> PointDetection:
    return PointDetection(name, distance, azimuth, elevation)


# Reads a percept of the shape that the server sends with four regular expressions, so as to be fast.
#
# The result is that of ``PerceptParts``, or None when a frame has another shape, however slightly.
#
# A percept takes 55 us so, 335 us list by list. Two teams of eleven in one process get 1100 percepts a
# second: that is 6 % of a core or 37 %.

_Columns: TypeAlias = tuple[tuple[str, ...], tuple[float, ...], tuple[float, ...], tuple[float, ...]]

MAX_JOINTS: Final = 64  # no robot has more; a pattern takes time and memory by the number of its joints

# A robot keeps its joints. A server that names others in each frame must not cause a new pattern for each.
MAX_PATTERN_UPDATES: Final = 8

_POLAR = rf"\(({ATOM}) ?\(pol ({NUMBER}) ({NUMBER}) ({NUMBER})\)\) ?"
_POLARS = rf"(?:\({ATOM} ?\(pol {NUMBER} {NUMBER} {NUMBER}\)\) ?)*"
_AGENT = rf"\(P \(team ({ATOM})\) ?\(id ({INTEGER})\) ?({_POLARS})\) ?"
_AGENTS = rf"(?:\(P \(team {ATOM}\) ?\(id {INTEGER}\) ?{_POLARS}\) ?)*"
_MESSAGE = rf"\(({NUMBER}) ([A-Za-z0-9+/]+={{0,2}})\) ?"
_MESSAGES = rf"(?:\({NUMBER} [A-Za-z0-9+/]+={{0,2}}\) ?)*"

_each_polar = re.compile(_POLAR).findall
_each_agent = re.compile(_AGENT).findall
_each_message = re.compile(_MESSAGE).findall

_before_joints = re.compile(
    rf"\(time \({ATOM} ({NUMBER})\)\) ?"
    rf"\(GS \(t ({NUMBER})\) ?\(pm ({ATOM})\) ?(?:\(tl ({ATOM})\) ?)?(?:\(tr ({ATOM})\) ?)?"
    rf"\(sl ({INTEGER})\) ?\(sr ({INTEGER})\)\) ?"
    rf"\(quat \(n ({ATOM})\) ?\(q ({NUMBER}) ({NUMBER}) ({NUMBER}) ({NUMBER})\)\) ?"
    rf"\(pos \(n ({ATOM})\) ?\(p(?:os)? ({NUMBER}) ({NUMBER}) ({NUMBER})\)\) ?"
    rf"\(GYR \(n ({ATOM})\) ?\(rt ({NUMBER}) ({NUMBER}) ({NUMBER})\)\) ?"
    rf"\(ACC \(n ({ATOM})\) ?\(a ({NUMBER}) ({NUMBER}) ({NUMBER})\)\) ?"
).match
_JOINT: Final = rf"\(HJ \(n NAME\) ?\(ax ({NUMBER})\) ?\(vx ({NUMBER})\)\) ?"
_after_joints = re.compile(
    rf"(?:\(MIC ({ATOM}) ({_MESSAGES})\) ?)?"
    rf"(?:\(See ({_POLARS})({_AGENTS})\) ?)?"
).fullmatch


class PerceptPatterns:
    """Reads the percepts of one connection, once it has learned which joints they have."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._names: tuple[str, ...] = ()
        self._joints: re.Pattern[str] | None = None
        self._updates_left = MAX_PATTERN_UPDATES

    def learn(self, percept: events.Percept) -> None:
        """Expect the joints of ``percept`` from now on, in this order."""
        names = percept.joints.names if percept.joints else ()
        if names != self._names and 0 < len(names) <= MAX_JOINTS and self._updates_left:
            self._updates_left -= 1
            self._names = names
            self._joints = re.compile("".join(_JOINT.replace("NAME", re.escape(name)) for name in names))

    def read(self, offset: int, text: str) -> events.Percept | None:
        """The percept in ``text``, or None when it is not of the usual shape."""
        before = _before_joints(text)
        joints = self._joints.match(text, before.end()) if before and self._joints else None
        if not before or not joints:
            return None
        after = _after_joints(text, joints.end())
        if not after:
            return None
        try:
            return self._percept(offset, before.groups(), joints.groups(), after.groups())
        except ValueError:  # a number or a message is not what it looks like; which one, the slow reader says
            return None

    def _percept(
        self, offset: int, head: Sequence[str], joints: Sequence[str], tail: Sequence[str | None]
    ) -> events.Percept:
        now, play_time, mode, left, right, score_left, score_right, *sensors = head
        quat, pos, gyro, acc = sensors[0:5], sensors[5:9], sensors[9:13], sensors[13:17]
        microphone, messages, points, agents = tail
        turned = tuple(map(float, joints))
        return events.Percept(
            offset,
            float(now),
            events.GameState(float(play_time), mode, left, right, int(score_left), int(score_right)),
            (events.Orientation(quat[0], *map(float, quat[1:])),),
            (events.Position(pos[0], *map(float, pos[1:])),),
            (events.Gyro(gyro[0], *map(float, gyro[1:])),),
            (events.Accelerometer(acc[0], *map(float, acc[1:])),),
            events.Joints(self._names, turned[0::2], turned[1::2]),
            (),
            () if microphone is None else (_microphone(microphone, messages or ""),),
            None if points is None else self._vision(points, agents or ""),
        )

    def _vision(self, points_text: str, agents_text: str) -> events.Vision:
        points = _columns(points_text)
        agents = [(team, int(player), _columns(body)) for team, player, body in _each_agent(agents_text)]
        polars = [points, *(body for _, _, body in agents)]
        self._dialect.look_at(
            [value for _, first, _, _ in polars for value in first],
            [value for _, _, _, third in polars for value in third],
        )
        detected = self._dialect.detection
        return events.Vision(
            tuple(map(detected, *points)),
            tuple(
                events.AgentDetection(team, player, tuple(map(detected, *body)))
                for team, player, body in agents
            ),
        )


def _columns(polars: str) -> _Columns:
    """The names and the three numbers of all detections in a text of such, each as a tuple of its own."""
    found = _each_polar(polars)
    if not found:
        return (), (), (), ()
    names, first, second, third = zip(*found, strict=True)
    return names, tuple(map(float, first)), tuple(map(float, second)), tuple(map(float, third))


def _microphone(name: str, messages: str) -> events.Microphone:
    return events.Microphone(
        name,
        tuple(
            events.Heard(float(azimuth), base64.b64decode(message, validate=True))
            for azimuth, message in _each_message(messages)
        ),
    )


# Reads the lists of a percept that are not of named values alone (``events.py`` has the others).
#
# A pattern reads the frames that the server really sends, several times faster and with the same
# result.


class PerceptParts(percepts.PerceptParts[events.Percept]):
    """A percept while it is being put together from its lists."""

    def __init__(self, dialect: Dialect) -> None:
        others = {
            "time": self._time,
            "HJ": self._joint,
            "JS": self._joint_set,
            "MIC": self._microphone,
            "See": self._vision,
        }
        super().__init__(events.Percept, events.ONE, events.MANY, others)
        self._dialect = dialect
        self._joints: list[tuple[str, float, float]] = []

    @override
    def percept(self, offset: int) -> events.Percept | None:
        if self._joints:
            self._fields["joints"] = events.Joints(*zip(*self._joints, strict=True))
        return super().percept(offset)

    def _time(self, items: list[Node]) -> None:
        """Whatever the server calls its clock; 0.2.1 calls it ``now``, which counts where there are others too."""
        fields = Fields(items[1:])
        name = "now" if "now" in fields else next(iter(fields), "now")
        self._once("time_s", fields.number(name))
        fields.end()

    def _joint(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        self._joints.append((fields.text("n"), fields.number("ax"), fields.number("vx")))
        fields.end()

    def _joint_set(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        names = fields.texts("names")
        if not names:
            raise BadListError("names is empty")
        positions = fields.numbers("axs", len(names))
        velocities = fields.numbers("vxs", len(names))
        self._joints += zip(names, positions, velocities, strict=True)
        fields.end()

    def _microphone(self, items: list[Node]) -> None:
        if len(items) < 2:
            raise BadListError("no name")
        name = atom(items[1])
        heard, problem = good_ones(items[2:], _heard)
        self._add("microphones", events.Microphone(name, tuple(heard)))
        if problem:
            raise problem

    def _vision(self, items: list[Node]) -> None:
        found, problem = good_ones(items[1:], seen)
        points = [item for item in found if isinstance(item, Polar)]
        agents = [item for item in found if isinstance(item, Agent)]
        polars = [*points, *(marker for agent in agents for marker in agent.body)]
        self._dialect.look_at([polar.first for polar in polars], [polar.third for polar in polars])
        detected = self._dialect.detection
        vision = events.Vision(
            tuple(detected(*point) for point in points),
            tuple(
                events.AgentDetection(team, number, tuple(detected(*marker) for marker in body))
                for team, number, body in agents
            ),
        )
        self._once("vision", vision)
        if problem:
            raise problem


def _heard(item: list[Node]) -> events.Heard:
    """Read ``(-2 aGVsbG8=)``."""
    if len(item) != 2:
        raise BadListError(f"{quote(item)} is no (azimuth message)")
    azimuth, text = number(item[0]), atom(item[1])
    try:
        message = base64.b64decode(text, validate=True)
    except ValueError:
        raise BadListError(f"{quote(text)} is not base64") from None
    return events.Heard(azimuth, message)


__all__ = ["MAX_LISTS", "Event", "percept_reader"]

Event: TypeAlias = Percept | Sync | ServerError | Unknown | Malformed

_SIGNALS: Final[dict[bytes, type[Sync] | type[ServerError]]] = {b"(syn)": Sync, b"(error)": ServerError}


def percept_reader(dialect: Dialect) -> PerceptReader[Percept, Sync | ServerError]:
    """A reader of the frames of one connection; it remembers the dialect and which joints to expect."""
    return PerceptReader(PerceptPatterns(dialect), partial(PerceptParts, dialect), _SIGNALS)
