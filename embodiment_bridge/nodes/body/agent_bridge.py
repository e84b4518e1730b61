# SPDX-License-Identifier: Apache-2.0
"""The node that gives a body of some protocol to ROS: topics out, skills in."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.link.session import EventSession, OpenLink, Phase, Session, linked
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.probed_client import ProbedClient
from embodiment_bridge.link.transports.replay import Replay
from embodiment_bridge.link.transports.tape import Tape
from embodiment_bridge.link.transports.tcp_client import TcpClient
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import declare
from embodiment_bridge.nodes.base.statistics import session_diagnostics
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.nodes.body.body_agent import BodyAgent
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.nodes.body.protocol_inputs import ProtocolInputs
from embodiment_bridge.protocols.converter import Converter
from embodiment_bridge.protocols.spec import Room
from embodiment_bridge.wire.codec import Codec

PROBE_TIMEOUT = 10.0  # s; a soccer world compiles in 1 to 3 s

PARAMETERS = (
    Parameter("protocol", "rcsssmj", "Protocol of the body, a name of the registry."),
    Parameter("host", "127.0.0.1", "Host of the simulator or robot."),
    Parameter(
        "transport",
        "tcp",
        "Where events come from: the peer, a recording, or a simulation in this process.",
        choices=("tcp", "replay", "managed"),
    ),
    Parameter(
        "recording", "", "Path of a byte stream: transport replay plays it, tcp makes it of all that comes."
    ),
    Parameter("replay_speed", 1.0, "1 is as recorded, 2 twice as fast, 0 as fast as possible.", 0.0, 100.0),
    *body_interface.PARAMETERS,
)


class AgentBridge(BridgeNode):
    """One body of one protocol. ``find_room(name)`` gives the room of a protocol or raises ConfigError."""

    def __init__(self, find_room: Callable[[str], Room], **node_kwargs: Any) -> None:
        super().__init__("agent_bridge", PARAMETERS, **node_kwargs)
        self._find_room = find_room

    def configure(self) -> None:
        """Build the room: converter, motion, publishers, session."""
        values = self.values
        room = self._find_room(values["protocol"])
        if not (room.converter and room.outputs):
            raise ConfigError(
                f"parameter protocol is {room.name!r}: no body speaks it; it is for `decode` and other nodes"
            )
        values.update(declare(self, room.parameters))
        if values["transport"] == "replay" and not values["recording"]:
            raise ConfigError(
                "parameter recording is empty: transport replay needs the path of a byte stream"
            )
        if not values["body_file"]:
            raise ConfigError("parameter body_file is empty: which body? (its file, of config/bodies)")
        body = read_body(Path(values["body_file"]))
        converter: Converter = resolve(room.converter)(values, body)
        make_codec = partial(resolve(room.codec), **converter.codec_options())
        _check_greeting(make_codec(), converter)
        natives = converter.natives() if hasattr(converter, "natives") else {}
        self._interface = BodyInterface(self, body, room.outputs, self._refusal, natives)
        for remark in getattr(converter, "remarks", list)():
            self.get_logger().warning(remark)
        if hasattr(converter, "heed"):
            converter.heed(self._interface.wanted)
        self._inputs = ProtocolInputs(self, room, converter, self._refusal)
        self._session = self._make_session(room, converter, make_codec)

    def activate(self) -> None:
        """Open the link."""
        self._session.start()

    def deactivate(self) -> None:
        """Leave the peer; skills that run have failed."""
        self._session.stop()

    def cleanup(self) -> None:
        """Take everything that configure made off the graph."""
        self._inputs.destroy()
        self._interface.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """How the link stands, and how fast percepts are answered."""
        if not self.active:
            return super().diagnose()
        return session_diagnostics(self._session)

    def _make_session(
        self, room: Room, converter: Converter, make_codec: Callable[[], Codec]
    ) -> EventSession:
        interface = self._interface
        agent = BodyAgent(
            converter, interface.queue, interface.publish, interface.stamp, interface.after_step
        )
        peer, tell = _peer(self.values), interface.link.publish
        if self.values["transport"] == "managed":
            return EventSession(_managed(room, self.values), agent, tell, peer=peer)
        connect = partial(_connect, self.values, room.probe)
        if room.link:
            open_link = linked(connect, make_codec, partial(resolve(room.link), self.values))
            return EventSession(open_link, agent, tell, peer=peer, refusal=room.refusal)
        return Session(connect, make_codec, agent, tell, peer=peer, refusal=room.refusal)

    def _refusal(self) -> str:
        """Why no skill can be started now; empty when one can."""
        if not self.active:
            return f"{self.get_name()} is inactive; activate it first"
        status = self._session.status
        if status.phase is not Phase.READY:
            return f"the body is not there: link {status.phase.name}" + (
                f", {status.reason}" if status.reason else ""
            )
        return ""


def _check_greeting(codec: Codec, converter: Converter) -> None:
    """Parameters that cannot be told to the peer shall fail here, not in a peer that waits for a greeting.

    Raises:
        CommandError: such a parameter; the text names it.
    """
    for command in converter.greet():
        codec.encode(command)


def _managed(room: Room, values: Mapping[str, Any]) -> OpenLink:
    if not room.managed:
        raise ConfigError(f"parameter transport is 'managed': protocol {room.name!r} has no such simulation")
    made: OpenLink = resolve(room.managed)(values)
    return made


def _connect(values: Mapping[str, Any], probe: str) -> Transport:
    if values["transport"] == "replay":
        return Replay(Path(values["recording"]), speed=values["replay_speed"])
    link: Transport
    if probe:
        link = ProbedClient(values["host"], values[probe], values["port"], patience=PROBE_TIMEOUT)
    else:
        link = TcpClient(values["host"], values["port"])
    return Tape(link, Path(values["recording"])) if values["recording"] else link


def _peer(values: Mapping[str, Any]) -> str:
    if values["transport"] == "managed":
        return f"managed://{values['protocol']}"
    if values["transport"] == "replay":
        return f"replay://{values['recording']}"
    return f"tcp://{values['host']}:{values['port']}"
