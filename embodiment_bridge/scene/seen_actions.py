# SPDX-License-Identifier: Apache-2.0
"""Detects actions of others from changes in what a body sees: grabs, drops, kicks, moves. In ``map``, m."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import dist
from typing import Final

from embodiment_bridge.core.rotation import Vector

EVERY_S: Final = 0.2  # s between two looks: at less the noise of a camera counts as speed
LONGEST_S: Final = 2.0  # s between two looks, after which a change is not taken for an action
KICKED: Final = 0.8  # m/s; a ball that somebody walks into rolls more slowly
RESTING: Final = 0.3  # m/s that a thing may have before a kick
REACH: Final = 0.7  # m from the middle of an agent to what it kicks
AFTER_HAND_S: Final = 1.0  # s after a grab or drop in which a fast thing falls, or is carried
WALKING: Final = 0.1  # m/s
STRETCH: Final = 1.0  # m of a way that goes on, which is an action of its own
LEAST_WAY: Final = 0.2  # m of a way that has ended
PAUSE_S: Final = 0.6  # s at rest that end a way


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing of one look. agent: it acts by itself; loose: it can be kicked. owner: who holds it, or empty."""

    id: str
    position: Vector
    visible: bool = True
    agent: bool = False
    loose: bool = True
    owner: str = ""


@dataclass(frozen=True, slots=True)
class SeenAction:
    """``agent`` did ``name``: grab, drop or kick (of ``target``), or move (from ``start`` to ``end``)."""

    agent: str
    name: str
    target: str = ""
    start: Vector | None = None
    end: Vector | None = None


@dataclass(slots=True)
class _Track:
    """The earlier sightings of one thing."""

    seen: Seen
    speed: float = 0.0
    hand_s: float = -1e9  # when it was grabbed or dropped
    start: Vector | None = None  # of the way of an agent
    still_s: float = 0.0  # since when it rests


class ActionWatcher:
    """Compares each look with the one before. Not thread-safe."""

    def __init__(self) -> None:
        self._tracks: dict[str, _Track] = {}
        self._time: float | None = None

    def look(self, things: Iterable[Seen], now_s: float) -> list[SeenAction]:
        """The actions since the last look.

        Args:
            things: all that is known now.
            now_s: time in s of a clock that does not go back; looks that follow too fast are left out.
        """
        passed = now_s - self._time if self._time is not None else -1.0
        if 0.0 <= passed < EVERY_S:
            return []
        before, self._time = self._tracks, now_s
        known = {thing.id: thing for thing in things}
        if not 0.0 < passed <= LONGEST_S:
            self._tracks = {id_: _Track(thing, still_s=now_s) for id_, thing in known.items()}
            return []
        actions: list[SeenAction] = []
        self._tracks = {}
        for id_, thing in known.items():
            track = before.get(id_)
            if track is None or not (thing.visible and track.seen.visible):
                self._tracks[id_] = _Track(thing, still_s=now_s)
                continue
            speed = dist(thing.position[:2], track.seen.position[:2]) / passed
            actions += self._hands(track, thing, now_s)
            if thing.agent:
                actions += _way(track, thing, speed, now_s)
            elif thing.loose and not thing.owner and now_s - track.hand_s > AFTER_HAND_S:
                actions += _kick(track, thing, speed, before)
            track.seen, track.speed = thing, speed
            self._tracks[id_] = track
        return actions

    @staticmethod
    def _hands(track: _Track, thing: Seen, now_s: float) -> list[SeenAction]:
        was = track.seen.owner
        if thing.owner == was:
            return []
        track.hand_s = now_s
        dropped = [SeenAction(was, "drop", thing.id)] if was else []
        return dropped + ([SeenAction(thing.owner, "grab", thing.id)] if thing.owner else [])


def _kick(track: _Track, thing: Seen, speed: float, before: Mapping[str, _Track]) -> list[SeenAction]:
    if speed < KICKED or track.speed > RESTING:
        return []
    place = track.seen.position[:2]
    near = {id_: dist(place, other.seen.position[:2]) for id_, other in before.items() if other.seen.agent}
    who = min(near, key=near.__getitem__, default="")
    return [SeenAction(who, "kick", thing.id)] if who and near[who] <= REACH else []


def _way(track: _Track, thing: Seen, speed: float, now_s: float) -> list[SeenAction]:
    moving = speed > WALKING
    if track.start is None:
        track.start = track.seen.position if moving else None
        track.still_s = now_s
        return []
    track.still_s = now_s if moving else track.still_s
    way = dist(track.start, thing.position)
    over = now_s - track.still_s >= PAUSE_S
    if not over and way < STRETCH:
        return []
    start, track.start = track.start, None if over else thing.position
    return [SeenAction(thing.id, "move", "", start, thing.position)] if way >= LEAST_WAY else []
