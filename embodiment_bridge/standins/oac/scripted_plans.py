# SPDX-License-Identifier: Apache-2.0
"""The plans of the stand-in, made from its knowledge of the world, and the options of `peer oac`."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.opencog.xml.events import DIALECTS
from embodiment_bridge.protocols.opencog.xml.parts import Entity, Param, PlanAction, Vector

# The plans of the stand-in, one after the other, made from its knowledge of the world.
#
# Lengths are in the unit of the dialect (millimetres, or blocks in ``final``), as in the OAC.

Actions = tuple[PlanAction, ...]
STOP_SHORT: Final = 0.35  # m before the ball
SHORT_WALK: Final = 1.5  # m; a soccer robot is several metres away and slow


@dataclass(frozen=True, slots=True)
class Known:
    """A thing on the OAC's map."""

    id: str
    type: str
    x: float
    y: float
    z: float
    yaw: float


World = Mapping[str, Known]
Maker = Callable[["Script", World, Known], Actions]


class Script:
    """Gives the plans of a script in turn, then none; with ``again`` it starts again.

    unit: units of length per metre.

    Raises:
        ConfigError: there is no script of that name.
    """

    def __init__(self, name: str = "demo", *, again: bool = False, unit: float = 1000.0) -> None:
        if name not in SCRIPTS:
            raise ConfigError(unknown("script", name, SCRIPTS))
        self.unit = unit
        self._makers = SCRIPTS[name]
        self._again = again
        self._place = 0

    def next(self, world: World, own: Known) -> Actions:
        """The next plan; empty if there is none, or if the things that it needs have not been seen."""
        if self._place >= len(self._makers):
            if not (self._again and self._makers):
                return ()
            self._place = 0
        actions = self._makers[self._place](self, world, own)
        self._place += bool(actions)
        return actions


def numbered(*steps: tuple[str, tuple[Param, ...]]) -> Actions:
    """Actions with the sequence numbers 1, 2, ..."""
    return tuple(PlanAction(name, place, params) for place, (name, params) in enumerate(steps, start=1))


def to_entity(thing: Known) -> Param:
    """A target that is a thing."""
    return Param("entity", "target", entity=Entity(thing.id, thing.type))


def to_place(x: float, y: float) -> Param:
    """A target that is a place."""
    return Param("vector", "target", vector=Vector(x, y, 0.0))


def find_ball(world: World) -> Known | None:
    """The first thing with ball in its id."""
    return next((thing for name, thing in sorted(world.items()) if "ball" in name), None)


def _walk_to(
    script: Script, thing: Known, own: Known, most: float = math.inf
) -> tuple[str, tuple[Param, ...]]:
    """Walk up to a thing, or ``most`` m towards it."""
    away = math.hypot(thing.x - own.x, thing.y - own.y)
    share = min(max(0.0, away - STOP_SHORT * script.unit), most * script.unit) / away if away else 0.0
    place = to_place(own.x + share * (thing.x - own.x), own.y + share * (thing.y - own.y))
    return "walk", (place, Param("float", "speed", "0.25"))


def _play(script: Script, world: World, own: Known) -> Actions:
    """Walk to the ball, look at it, take it, say something, drop it."""
    ball = find_ball(world)
    if ball is None:
        return ()
    text = Param("string", "message", "I have the ball")
    at_ball = (to_entity(ball),)
    return numbered(
        _walk_to(script, ball, own), ("look_at", at_ball), ("grab", at_ball), ("say", (text,)), ("drop", ())
    )


def _kick(script: Script, world: World, own: Known) -> Actions:
    ball = find_ball(world)
    return () if ball is None else numbered(_walk_to(script, ball, own), ("kick", (to_entity(ball),)))


def _visit(script: Script, world: World, own: Known) -> Actions:
    """Walk towards the ball, look at it, say something, drop it; a body without hands cannot do all of this."""
    ball = find_ball(world)
    if ball is None:
        return ()
    text = Param("string", "message", "hello")
    way = _walk_to(script, ball, own, SHORT_WALK)
    return numbered(way, ("look_at", (to_entity(ball),)), ("say", (text,)), ("drop", ()))


def _nod(script: Script, world: World, own: Known) -> Actions:
    """A plan for a body that cannot walk."""
    return numbered(("say", (Param("string", "message", "hello"),)), ("do_nothing", ()))


def _round(script: Script, world: World, own: Known) -> Actions:
    """Turn once round and say something: for a body that does not see a ball."""
    text = Param("string", "message", "nothing here")
    return numbered(*[("rotate_left", ())] * 4, ("say", (text,)))


def _greet(script: Script, world: World, own: Known) -> Actions:
    """Greet and dance on the spot: for a body that cannot walk."""
    text = Param("string", "message", "hello, nice to see you")
    shortly = (Param("float", "duration", "1.5"),)
    return numbered(("say", (text,)), ("shake_head", shortly), ("dance1", ()), ("happy_eyes", shortly))


SCRIPTS: Final[Mapping[str, tuple[Maker, ...]]] = {
    "demo": (_play, _kick),
    "visit": (_visit,),
    "nod": (_nod,),
    "round": (_round,),
    "greet": (_greet,),
    "none": (),
}


OAC_OPTIONS: Final = (
    Parameter("oac", "fido", "Id of the OAC that runs from the beginning; empty: each is loaded."),
    Parameter("proxy", "PROXY", "Id of the element whose messages that OAC processes."),
    Parameter("script", "demo", "Which plans it makes.", choices=tuple(SCRIPTS)),
    Parameter("again", False, "Start again after the last plan."),
    Parameter("dialect", "seed", "Dialect of its messages.", choices=DIALECTS),
    Parameter(
        "validating", True, "Drop messages that the schema does not allow, as an OAC with a schema does."
    ),
    Parameter("acks", False, "The Router is in ack mode."),
    Parameter("single_actions", False, "Send each action of a plan by itself."),
    Parameter("heartbeat", 15.0, "Time between availability notices of the Router, s.", 0.1, 3600.0),
    Parameter("verbose", False, "Log on standard error what happens."),
)
