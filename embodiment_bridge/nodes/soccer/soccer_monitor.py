# SPDX-License-Identifier: Apache-2.0
"""The node that watches a soccer server: scene, game, markers, and the services of the trainer."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias, Unpack

from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.core.parameter import Parameter, ParameterValues
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.link.session import Session, linked
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.log_link import FASTEST, LogLink, LogPlayer
from embodiment_bridge.link.transports.monitor_log import MonitorLog
from embodiment_bridge.link.transports.tape import LogTape
from embodiment_bridge.link.transports.tcp import PartingClient
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions, declare
from embodiment_bridge.nodes.base.session_report import LogService, not_there, session_diagnostics
from embodiment_bridge.nodes.body.status_publishers import LinkPublisher
from embodiment_bridge.nodes.soccer.monitor_publishers import MonitorPublishers
from embodiment_bridge.protocols.registry import ProtocolSpec
from embodiment_bridge.protocols.soccer_monitor.commands import Command, Dialect, Frame, Single
from embodiment_bridge.protocols.soccer_monitor.convert import Trainer
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState
from embodiment_bridge.srv import (
    AgentCommand,
    KickOff,
    PlaceThing,
    SetGame,
    SetPlayMode,
    TrainAgent,
    TrainBall,
)
from embodiment_bridge.wire.codec import Codec

# The services of the trainer: they pass commands on, and report refusals.

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


MakeCodec: TypeAlias = Callable[[], Codec[Event, Command]]

# commands that wait to be sent; the server sends 25 messages a second, each releases them
MAX_WAITING: Final = 1000
MAX_TOGETHER: Final = 50  # commands in one frame, which the server obeys in the same cycle

PARAMETERS = (
    Parameter(
        "protocol",
        "simspark_monitor",
        "Protocol of the server's monitor port.",
        choices=("simspark_monitor", "rcsssmj_monitor"),
    ),
    Parameter("host", "127.0.0.1", "Host of the server."),
    Parameter(
        "transport", "tcp", "Where messages come from: the server, or a log.", choices=("tcp", "replay")
    ),
    Parameter(
        "recording",
        "",
        "Path of a log: transport replay plays it, tcp makes it; packed by gzip where it ends in .gz.",
    ),
    Parameter(
        "replay_speed",
        1.0,
        "Speed factor of the replay, 1 is as recorded, 0 as fast as possible.",
        0.0,
        FASTEST,
    ),
    Parameter("frame_prefix", "", "Put before every frame name, e.g. monitor/."),
    Parameter("publish_tf", True, "Publish ball and players on /tf, in the frame map."),
    Parameter(
        "mesh_folder", "", "Folder of the meshes that the server names; empty: simple solids stand for them."
    ),
)


class SoccerMonitor(BridgeNode):
    """Watches one server, or one log. ``find_spec(name)`` gives the spec of a protocol or raises ConfigError."""

    def __init__(self, find_spec: Callable[[str], ProtocolSpec], **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("soccer_monitor", PARAMETERS, **node_kwargs)
        self._find_spec = find_spec

    def configure(self) -> None:
        """Create model, topics, services and session."""
        values = self.values
        spec = self._find_spec(values["protocol"])
        values.update(declare(self, spec.parameters))
        dialect: Dialect = resolve(spec.converter)
        make_codec: MakeCodec = resolve(spec.codec)
        replay = values["transport"] == "replay"
        self._log = MonitorLog(_existing(values["recording"])) if replay else None
        self._player: LogPlayer | None = None
        self._model = MonitorModel(can_ask=dialect.can_ask and not replay)
        self._publishers_of_model = MonitorPublishers(
            self,
            self._model,
            frame_prefix=values["frame_prefix"],
            mesh_folder=values["mesh_folder"],
            publish_tf=values["publish_tf"],
        )
        self._link_publisher = LinkPublisher(self)
        self._waiting: deque[Single] = deque(maxlen=MAX_WAITING)
        self._trainer = Trainer(dialect, self._play_modes)
        self._check: Callable[[Single], object] = make_codec().encode
        for name, kind in SERVICES.items():
            self.create_service(kind, name, partial(self._serve, name))
        LogService(self, lambda: self._player)
        self._session = self._make_session(make_codec)

    def activate(self) -> None:
        """Open the link."""
        self._session.start()

    def deactivate(self) -> None:
        """Close the link."""
        self._session.stop()
        self._player = None

    def cleanup(self) -> None:
        """Let the session's thread publish no more."""
        self._link_publisher.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the state of the link, and whether the scene is complete."""
        if not self.active:
            return super().diagnose()
        level, message, values = session_diagnostics(self._session.status, self._session.counters)
        del (
            values["percept_to_frame_p50_ms"],
            values["percept_to_frame_p99_ms"],
            values["percept_to_frame_max_ms"],
        )
        model = self._model
        values |= {
            "in_step": model.in_step,
            "mismatches": model.mismatches,
            "nodes": len(model.graph),
            "players": len(model.objects.players),
            "pass_mode_wait_left_s": model.game.state.pass_wait_left_s or 0.0,
            "pass_mode_wait_right_s": model.game.state.pass_wait_right_s or 0.0,
        }
        return level, message.replace("percepts flow", "messages flow"), values

    # What the session calls, on its own thread (see ``Agent`` in link/session.py):

    def handshake(self) -> Iterable[Command]:
        """Return no greeting: a monitor sends none."""
        self._waiting.clear()
        return ()

    def batch_received(self, count: int) -> str:
        """Return no reason to complain: a monitor may be served as late as the server likes."""
        return ""

    def perceive(self, event: Event) -> Event:
        """Return the event itself, which has all that is known."""
        return event

    def respond(self, event: Event) -> Iterable[Command]:
        """Update the model; send the commands of the trainer and the requests of the model."""
        wanted: list[Command] = [*self._model.take(event)]
        while self._waiting:
            together = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_TOGETHER))]
            wanted.append(together[0] if len(together) == 1 else Frame(tuple(together)))
        return wanted

    def ready(self, event: Event) -> bool:
        """Return whether this event is the first complete scene, which completes the handshake."""
        return self._model.in_step

    def observe(self, event: Event) -> None:
        """Publish the event."""
        if isinstance(event, MonitorState):
            self._publishers_of_model.publish(event, self.get_clock().now().to_msg())

    def lost(self, reason: str) -> None:
        """Forget the scene."""
        self._model.lost()

    def _make_session(self, make_codec: MakeCodec) -> Session[Event, Command, Event]:
        values, tell = self.values, self._link_publisher.publish
        if self._log is not None:
            return Session(partial(self._open_log, make_codec), self, tell, peer=f"log://{self._log.path}")
        connect = partial(_connect, values)
        peer = f"tcp://{values['host']}:{values['port']}"
        return Session(linked(connect, make_codec), self, tell, peer=peer)

    def _open_log(
        self, make_codec: MakeCodec, counters: Counters, clock: Callable[[], float]
    ) -> LogLink[Event, Command]:
        if self._log is None:
            raise ConfigError("parameter recording is empty")
        self._player = LogPlayer(self._log, self.values["replay_speed"], clock)
        return LogLink(self._player, make_codec(), clock)

    def _serve(self, name: str, request: Any, response: Any) -> Any:
        """Take a request of a trainer: nothing is sent unless all its commands can be."""
        if isinstance(request, SetPlayMode.Request):
            response.play_modes = list(self._play_modes())
        try:
            refusal = self._refusal()
            if refusal:
                raise CommandError(refusal)
            commands, response.message = self._trainer.take(name, request)
            for command in commands:
                self._check(command)
            self._waiting.extend(commands)
            response.success = True
        except CommandError as error:
            response.success, response.message = False, str(error)
        return response

    def _play_modes(self) -> tuple[str, ...]:
        return self._model.game.play_modes

    def _refusal(self) -> str:
        """Say why commands are refused now; empty if they are not."""
        if not self.active:
            return self.inactive
        if self._log is not None:
            return "a log takes no commands"
        return not_there("the server", self._session.status)


def _connect(values: ParameterValues) -> Transport:
    made = PartingClient(str(values["host"]), int(values["port"]))
    return LogTape(made, Path(str(values["recording"]))) if values["recording"] else made


def _existing(path: str) -> Path:
    if not path:
        raise ConfigError("parameter transport is 'replay': parameter recording must name a log")
    return Path(path)
