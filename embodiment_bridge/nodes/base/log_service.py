# SPDX-License-Identifier: Apache-2.0
"""The service `play_log`: pause, speed and position of a replay."""

from collections.abc import Callable
from typing import Final

from rclpy.node import Node

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.link.transports.log_link import LogPlayer
from embodiment_bridge.srv import PlayLog

ACTIONS: Final = {PlayLog.Request.KEEP: None, PlayLog.Request.PAUSE: True, PlayLog.Request.RESUME: False}


class LogService:
    """Serves ``play_log``. ``player()`` gives the present player, None while nothing is played."""

    def __init__(self, node: Node, player: Callable[[], LogPlayer | None]) -> None:
        self._node = node
        self._player = player
        self._service = node.create_service(PlayLog, "play_log", self._serve)

    def destroy(self) -> None:
        """Remove the service from the graph."""
        self._node.destroy_service(self._service)

    def _serve(self, request: PlayLog.Request, response: PlayLog.Response) -> PlayLog.Response:
        player = self._player()
        if player is None:
            response.message = "no log is played: transport is not replay, or the node is inactive"
            return response
        try:
            _control(player, request)
            response.success = True
        except ConfigError as error:
            response.message = str(error)
        position = player.position()
        response.time, response.duration = position.time, position.duration
        response.paused, response.speed = position.paused, position.speed
        return response


def _control(player: LogPlayer, request: PlayLog.Request) -> None:
    if request.action not in ACTIONS:
        raise ConfigError(f"action is {request.action}; it must be 0 (keep), 1 (pause) or 2 (resume)")
    paused = ACTIONS[request.action]
    if paused:  # first, so that a seek ends exactly at the requested position
        player.pause(True)
    if request.set_speed:
        player.set_speed(request.speed)
    if request.seek:
        player.seek(request.time)
    if paused is False:
        player.pause(False)
