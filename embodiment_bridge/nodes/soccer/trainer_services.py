# SPDX-License-Identifier: Apache-2.0
"""The services of the trainer: they pass commands on, and report refusals."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from rclpy.node import Node
from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.soccer_monitor.commands import Single
from embodiment_bridge.protocols.soccer_monitor.convert import Trainer
from embodiment_bridge.srv import (
    AgentCommand,
    KickOff,
    PlaceThing,
    SetGame,
    SetPlayMode,
    TrainAgent,
    TrainBall,
)

SERVICES: Final = {
    "train_agent": TrainAgent,
    "train_ball": TrainBall,
    "place_thing": PlaceThing,
    "set_play_mode": SetPlayMode,
    "kick_off": KickOff,
    "drop_ball": Trigger,
    "select_agent": AgentCommand,
    "kill_agent": AgentCommand,
    "reposition_agent": AgentCommand,
    "set_game": SetGame,
    "request_full_state": Trigger,
    "kill_simulator": Trigger,
    "get_ack": Trigger,
}


class TrainerServices:
    """Serves a trainer. ``refusal()`` says why commands are refused now, or is empty; ``send`` gets checked commands.

    check(command) raises CommandError if it cannot be sent. play_modes() gives the names that the server has sent.
    """

    def __init__(
        self,
        node: Node,
        trainer: Trainer,
        refusal: Callable[[], str],
        check: Callable[[Single], object],
        send: Callable[[list[Single]], None],
        play_modes: Callable[[], tuple[str, ...]],
    ) -> None:
        self._node = node
        self._trainer = trainer
        self._refusal = refusal
        self._check = check
        self._send = send
        self._play_modes = play_modes
        self._made = [
            node.create_service(kind, name, partial(self._serve, name)) for name, kind in SERVICES.items()
        ]

    def destroy(self) -> None:
        """Remove the services from the graph."""
        for service in self._made:
            self._node.destroy_service(service)

    def _serve(self, name: str, request: Any, response: Any) -> Any:
        if isinstance(request, SetPlayMode.Request):
            response.play_modes = list(self._play_modes())
        try:
            refusal = self._refusal()
            if refusal:
                raise CommandError(refusal)
            commands, response.message = self._trainer.take(name, request)
            for command in commands:
                self._check(command)
            self._send(commands)
            response.success = True
        except CommandError as error:
            response.success, response.message = False, str(error)
        return response
