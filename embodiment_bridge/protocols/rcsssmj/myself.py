# SPDX-License-Identifier: Apache-2.0
"""Whose percepts a recording has, where it begins in the middle of a game: the server names team and number nowhere."""

from collections.abc import Sequence
from math import hypot
from typing import Final

from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.soccer.convert import sight
from embodiment_bridge.scene.camera import Camera, Pose
from embodiment_bridge.scene.soccer import Player

FEET: Final = ("lfoot", "rfoot")
OWN_FOOT: Final = 0.3  # m beside the axis of the own torso: feet of others are farther away
AT_BASE: Final = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def recognised(percept: Percept, positions: Sequence[float], camera: Camera | None, me: Player) -> Player:
    """``me``, or another player where the percept shows that these are its percepts.

    A player that looks down sees its own feet with its team and number. A game in which only one team plays is one of
    that team, too.

    Args:
        percept: of the recording.
        positions: of the joints, rad.
        camera: of the robot, if it is known where that is.
        me: whose percepts they were taken for until now.
    """
    game = percept.game_state
    teams = [team for team in (game.team_left, game.team_right) if team] if game is not None else []
    if len(teams) == 1:
        me = Player(teams[0], me.number)
    eye = None if camera is None or percept.vision is None else camera.pose(AT_BASE, positions)
    if eye is None or percept.vision is None:
        return me
    for agent in sight(percept.vision.points, percept.vision.agents).agents:
        feet = (eye.place(part.position) for part in agent.parts if part.name in FEET)
        if any(hypot(x, y) < OWN_FOOT for x, y, _ in feet):
            return Player(agent.team, agent.number)
    return me
