# SPDX-License-Identifier: Apache-2.0
"""The model of a monitor: the game, the scene, and who is who in it. Requests everything again where needed."""

from typing import Final

from embodiment_bridge.protocols.soccer_monitor.commands import Command, RequestFullState
from embodiment_bridge.protocols.soccer_monitor.game_record import GameRecord
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event
from embodiment_bridge.protocols.soccer_monitor.scene.events import Environment, MonitorState
from embodiment_bridge.protocols.soccer_monitor.scene.field_values import FieldValues, field_values
from embodiment_bridge.protocols.soccer_monitor.scene.graph import SceneGraph
from embodiment_bridge.protocols.soccer_monitor.scene.soccer_objects import Objects, find_objects
from embodiment_bridge.wire.events import Malformed

ASK_AGAIN: Final = 50  # messages to wait for a whole scene before it is asked for once more: 2 s


class MonitorModel:
    """One connection. ``can_ask``: the server sends everything when it is asked to.

    in_step: whether the scene is that of the server; nothing of it should be told while it is not. mismatches: how
    often changes did not fit, or came broken. field and objects follow from the rest.
    """

    def __init__(self, *, can_ask: bool) -> None:
        self.game = GameRecord()
        self.graph = SceneGraph()
        self.objects = Objects(None, ())
        self.field = FieldValues({})
        self.time_s: float | None = None
        self.in_step = False
        self.mismatches = 0
        self._can_ask = can_ask
        self._waiting = 0
        self._structure = 0
        self._environment: Environment | None = None

    def take(self, event: Event) -> list[Command]:
        """Take in an event; return what should be asked of the server."""
        if isinstance(event, Malformed):
            return self._lost()
        if not isinstance(event, MonitorState):
            return []
        self.time_s = event.time_s
        self.game.take(event)
        if self.game.environment != self._environment:
            self._environment = self.game.environment
            self.field = field_values(self._environment) if self._environment else FieldValues({})
        if event.scene is None:
            return []
        if event.scene.full:
            self.in_step = True
        elif not self.in_step:
            return self._ask()
        if not self.graph.apply(event.scene):
            return self._lost()
        if self.graph.structure != self._structure:
            self._structure = self.graph.structure
            self.objects = find_objects(self.graph)
        return []

    def lost(self) -> None:
        """The connection has ended; the next one may be to another game."""
        self.game.forget()
        self.in_step = False
        self._waiting = 0

    def _lost(self) -> list[Command]:
        self.mismatches += 1
        if self.in_step:
            self.in_step = False
            self._waiting = 0
        return self._ask()

    def _ask(self) -> list[Command]:
        """Ask once, and again when nothing has come of it: a slow reader may lose the answer too."""
        self._waiting, before = (self._waiting + 1) % ASK_AGAIN, self._waiting
        return [RequestFullState()] if before == 0 and self._can_ask else []
