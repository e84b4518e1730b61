# SPDX-License-Identifier: Apache-2.0
"""Reports a session with a server as diagnostics, and serves `play_log`.

Pause, speed and position of a replayed one.
"""

from collections.abc import Callable, Sequence
from typing import Final

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.link.transports.log_link import LogPlayer
from embodiment_bridge.srv import PlayLog

ACTIONS: Final = {PlayLog.Request.KEEP: None, PlayLog.Request.PAUSE: True, PlayLog.Request.RESUME: False}


class LogService:
    """Serves ``play_log``. ``player()`` gives the present player, None while nothing is played."""

    def __init__(self, node: Node, player: Callable[[], LogPlayer | None]) -> None:
        self._player = player
        node.create_service(PlayLog, "play_log", self._serve)

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


def not_there(who: str, status: LinkStatus) -> str:
    """Say why a peer cannot be asked now; empty if it can."""
    if status.phase is Phase.READY:
        return ""
    return f"{who} is not there: link {status.phase.name}" + (f", {status.reason}" if status.reason else "")


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which ``share`` (0..1) of the sorted values lie; 0.0 without values."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def session_diagnostics(status: LinkStatus, counters: Counters) -> tuple[bytes, str, dict[str, object]]:
    """Return level, one line of text, and values of a session; times are from percept read to frame written."""
    times = sorted(counters.answer_times)
    values: dict[str, object] = {
        "link": status.phase.name,
        "peer": status.peer,
        "connects": status.connects,
        "events": counters.events,
        "malformed": counters.malformed,
        "unknown": counters.unknown,
        "refused_commands": counters.refused_commands,
        "bytes_in": counters.bytes_in,
        "bytes_out": counters.bytes_out,
        "percept_to_frame_p50_ms": f"{percentile(times, 0.5) * 1e3:.2f}",
        "percept_to_frame_p99_ms": f"{percentile(times, 0.99) * 1e3:.2f}",
        "percept_to_frame_max_ms": f"{percentile(times, 1.0) * 1e3:.2f}",
        "most_events_at_once": counters.most_at_once,
        "last_error": counters.last_error,
    }
    if status.phase is Phase.READY and not status.reason:
        if counters.unknown * 10 > counters.events:
            share = f"{counters.unknown} of {counters.events} events"
            return (
                DiagnosticStatus.WARN,
                f"percepts flow, but {share} have no meaning here (see the log)",
                values,
            )
        return DiagnosticStatus.OK, "percepts flow", values
    return (
        DiagnosticStatus.WARN,
        f"{status.phase.name}: {status.reason}" if status.reason else status.phase.name,
        values,
    )
