# SPDX-License-Identifier: Apache-2.0
"""The node with a sound player: the service ``player_command`` controls it, ``audio_state`` has its state."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from typing_extensions import override

from embodiment_bridge.core.errors import BridgeError, CommandError, unknown
from embodiment_bridge.fetching import Fetcher
from embodiment_bridge.media.cue import COMMANDS, MAIN, OVER, Cue
from embodiment_bridge.media.speech.store import MAX_TEXT
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.sound.audio import Audio
from embodiment_bridge.nodes.sound.fetch_parameters import PARAMETERS as FETCH_PARAMETERS
from embodiment_bridge.nodes.sound.fetch_parameters import fetch_rules
from embodiment_bridge.nodes.sound.media_parameters import PARAMETERS, Surroundings, with_media_roots
from embodiment_bridge.srv import PlayerCommand

OF_ADDRESSES = ("fetch_hosts", "fetch_private_hosts", "fetch_plain_http", "fetch_host_map", "fetch_ca_file")
ADDRESSES = [one for one in FETCH_PARAMETERS if one.name in OF_ADDRESSES]
SLOWEST, FASTEST = 0.1, 10.0


class SoundPlayer(BridgeNode):
    """Plays sounds and speaks on request, for people and for brains without documents."""

    def __init__(self, surroundings: Surroundings, **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("media_player", [*PARAMETERS, *ADDRESSES], **node_kwargs)
        self._surroundings = surroundings
        self._numbers = itertools.count(1)
        self._audio: Audio | None = None
        self._sounds: list[str] = []  # ids of those that may not be over

    def configure(self) -> None:
        """Create the player and its service."""
        rules = fetch_rules(self.values)
        policy = with_media_roots(rules.policy, self.values)
        surroundings = replace(self._surroundings, fetch=Fetcher(rules).fetch_to)
        self._audio = Audio(self, self.values, policy, surroundings, self.seconds)
        self.create_service(PlayerCommand, "player_command", self._take)

    def deactivate(self) -> None:
        """Stop all sound."""
        if self._audio is not None:
            self._audio.player.forget(self.get_name())
            self._audio.serve()

    def cleanup(self) -> None:
        """End the player, and the programs that play and speak."""
        if self._audio is not None:
            self._audio.destroy()
            self._audio = None

    @override
    def close(self) -> None:
        super().close()
        self.cleanup()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the state of each channel."""
        if self._audio is None:
            return super().diagnose()
        states = {state.channel: state.state for state in self._audio.player.states()}
        return (
            DiagnosticStatus.OK,
            "active" if self.active else "inactive",
            {"output": self._audio.output, **states},
        )

    def _take(
        self, request: PlayerCommand.Request, response: PlayerCommand.Response
    ) -> PlayerCommand.Response:
        try:
            response.message = self._do(request, response)
            response.success = True
        except BridgeError as error:
            response.message = str(error)
        if self._audio is not None:
            self._audio.serve()
            # The player keeps a sound, with its marks, until it has told the end.
            status_of = self._audio.player.status_of
            self._sounds = [one for one in self._sounds if status_of(one).status not in OVER]
        return response

    def _do(self, request: PlayerCommand.Request, response: PlayerCommand.Response) -> str:
        if self._audio is None or not self.active:
            raise CommandError("the player is inactive; activate it first")
        player = self._audio.player
        if request.action in COMMANDS:
            return player.command(request.action, request.volume, request.channel)
        if request.action not in ("play", "speak"):
            raise CommandError(unknown("player action", request.action, ("play", "speak", *COMMANDS)))
        cue = self._cue(request)
        player.start(cue)
        self._sounds.append(cue.id)
        response.id = cue.id
        return ""

    def _cue(self, request: PlayerCommand.Request) -> Cue:
        speaks = request.action == "speak"
        if speaks and not 1 <= len(request.text) <= MAX_TEXT:
            raise CommandError(f"speak needs a text of 1 to {MAX_TEXT} characters, not {len(request.text)}")
        if not speaks and not request.url:
            raise CommandError("play needs a url")
        rate = request.rate or 1.0
        if not SLOWEST <= rate <= FASTEST:
            raise CommandError(f"a rate is {SLOWEST:g} to {FASTEST:g}, not {request.rate:g}")
        return Cue(
            f"{self.get_name()}/{next(self._numbers)}",
            self.get_name(),
            request.channel or MAIN,
            url="" if speaks else request.url,
            text=request.text if speaks else "",
            voice=request.voice,
            language=request.language,
            rate=rate,
            volume=request.volume if request.set_volume else None,
        )
