# SPDX-License-Identifier: Apache-2.0
"""The lists of RCSSServerMJ's percepts as rows, read in either order of the numbers of a ``pol``."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.rcsssmj.events import Percept, PointDetection, ServerError, Sync, Vision
from embodiment_bridge.protocols.soccer import codec
from embodiment_bridge.protocols.soccer.codec import PerceptFields
from embodiment_bridge.protocols.soccer.list_fields import NUMBER, TEXT, WHOLE, Fields, UnknownListError
from embodiment_bridge.protocols.soccer.percepts import ACCELEROMETER, GYRO, NAME, POINT, TOUCH
from embodiment_bridge.protocols.soccer.wire_table import BASE64, Form, Row, Value
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.sexpr import Node

Event: TypeAlias = Percept | Sync | ServerError | Unknown | Malformed

TIME: Final = Row(
    "time", float, Value(NUMBER, "now", any_name=True), field="time_s"
)  # 0.2.1 calls its clock now
GAME: Final = Row(
    "GS",
    events.GameState,
    Value(NUMBER, "t"),
    Value(TEXT, "pm"),
    Value(TEXT, "tl", optional=True),
    Value(TEXT, "tr", optional=True),
    Value(WHOLE, "sl"),
    Value(WHOLE, "sr"),
    field="game_state",
)
ORIENTATION: Final = Row(
    "quat", events.Orientation, NAME, Value(NUMBER, "q", 4), field="orientations", many=True
)
POSITION: Final = Row(
    "pos", events.Position, NAME, Value(NUMBER, "p", 3, older="pos"), field="positions", many=True
)
JOINT: Final = Row(
    "HJ",
    lambda *values: values,
    NAME,
    Value(NUMBER, "ax"),
    Value(NUMBER, "vx"),
    field="joints",
    many=True,
    joined=lambda *columns: events.Joints(*map(tuple, columns)),
)
HEARD: Final = Row("", events.Heard, Value(NUMBER), Value(BASE64))
MICROPHONE: Final = Row("MIC", events.Microphone, Value(TEXT), HEARD, field="microphones", many=True)
AGENT: Final = Row("P", events.AgentDetection, Value(TEXT, "team"), Value(WHOLE, "id"), POINT)
SEE: Final = Row("See", Vision, POINT, AGENT, field="vision")
ROWS: Final = (
    TIME, GAME, ORIENTATION, POSITION, GYRO, ACCELEROMETER, JOINT, MICROPHONE, SEE, TOUCH,
)  # fmt: skip
USUAL: Final = Form(
    TIME, GAME, ORIENTATION, POSITION, GYRO, ACCELEROMETER, (JOINT, "*"), (MICROPHONE, "?"), (SEE, "?")
)  # fmt: skip

CURRENT: Final = "0.2.1"  # (pol distance azimuth elevation): what rcssservermj sends
SEED: Final = "seed"  # (pol azimuth elevation distance): what the text of its older documentation says


class Dialect:
    """The order of a detection's numbers on one connection: as told, or else found from what the server sends."""

    def __init__(self, name: str | None = None) -> None:
        """Use the order ``name``; None finds it from the stream, beginning with that of 0.2.1.

        Raises:
            ConfigError: there is no such dialect.
        """
        if name not in (None, CURRENT, SEED):
            raise ConfigError(unknown("dialect", str(name), (CURRENT, SEED)))
        self.name = name or CURRENT
        self._told = name is not None

    def vision(self, seen: Vision) -> Vision:
        """A picture whose numbers were taken to be in the order of 0.2.1, in that of this connection."""
        if not self._told:
            self._learn([*seen.points, *(marker for agent in seen.agents for marker in agent.body)])
        if self.name == CURRENT:
            return seen
        agents = (events.AgentDetection(a.team, a.number, _turned(a.body)) for a in seen.agents)
        return Vision(_turned(seen.points), tuple(agents))

    def _learn(self, points: list[PointDetection]) -> None:
        """Learn from the first and third numbers of all detections of a picture: no distance is negative."""
        first, third = (any(p.distance_m < 0.0 for p in points), any(p.elevation_deg < 0.0 for p in points))
        if self.name == CURRENT and first and not third:
            self.name = SEED
        elif self.name == SEED and third and not first:
            self.name = CURRENT


def _turned(points: Iterable[PointDetection]) -> tuple[PointDetection, ...]:
    return tuple(
        PointDetection(point.name, point.elevation_deg, point.distance_m, point.azimuth_deg)
        for point in points
    )


class PerceptReader(codec.PerceptReader[Percept, Sync | ServerError]):
    """Reads the frames of one connection in its dialect."""

    form = USUAL
    rows = MappingProxyType({row.word: row for row in ROWS})
    signals = MappingProxyType({b"(syn)": Sync, b"(error)": ServerError})

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @override
    def percept(self, offset: int, fields: PerceptFields) -> Percept:
        if "vision" in fields:
            fields["vision"] = self._dialect.vision(fields["vision"])
        return Percept(offset, **fields)

    @override
    def take(self, word: str, items: list[Node], fields: PerceptFields) -> None:
        if word == "JS":
            _take_joint_set(Fields(items[1:]), fields)
        else:
            super().take(word, items, fields)


def _take_joint_set(said: Fields, fields: PerceptFields) -> None:
    """Put ``(JS (names ..) (axs ..) (vxs ..))`` to the joints."""
    names = said.text("names").split(" ")
    columns = [[NUMBER.read(value) for value in said.take(name, len(names))] for name in ("axs", "vxs")]
    fields["joints"] = (*fields.get("joints", ()), *zip(names, *columns, strict=True))
    if said:
        raise UnknownListError
