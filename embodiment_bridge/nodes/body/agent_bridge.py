# SPDX-License-Identifier: Apache-2.0
"""The node that gives a body of some protocol to ROS.

Topics out, skills in; its agent answers each percept with a frame before ROS gets the percept.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar, Unpack

from builtin_interfaces.msg import Time

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter, ParameterValues
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.link import link_loop
from embodiment_bridge.link.session import HANDSHAKE_TIMEOUT, OpenLink, Session, linked
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.probed_client import ProbedClient
from embodiment_bridge.link.transports.tape import Replay, Tape
from embodiment_bridge.link.transports.tcp import SHARED_WRITE_TIMEOUT, TcpClient
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions, declare
from embodiment_bridge.nodes.base.session_report import not_there, session_diagnostics
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.nodes.body.body_commands import ProtocolInputs
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.protocols.converter import Converter, Cycle
from embodiment_bridge.protocols.registry import ProtocolSpec
from embodiment_bridge.wire.codec import Codec, Unknown, excerpt

Event = TypeVar("Event")
Command = TypeVar("Command")
WORD = 40  # bytes of an unknown event by which it is told from others
MAX_TOLD = 20  # kinds of unknown events; a peer that sends ever new ones is not followed further


class BodyAgent(Generic[Event, Command]):
    """Joins converter, motion and publishers: an ``Agent`` of ``link/session.py``, on the session's thread.

    ``tell(sentence)`` hears what of an event reaches no topic.
    """

    def __init__(
        self, converter: Converter[Event, Command], interface: BodyInterface, tell: Callable[[str], object]
    ) -> None:
        self._converter = converter
        self._interface = interface
        self._queue = interface.queue
        self._tell = tell
        self._frames = converter.fixed_frames()
        self._now: Time | None = None  # stamp of the present event, once its state is published
        self._unknown: set[bytes] = set()  # first words of what has no meaning here

    def handshake(self) -> Iterable[Command]:
        """Begin with a body that has done nothing yet."""
        self._queue.joined()
        return self._converter.handshake()

    def batch_received(self, count: int) -> str:
        """Let the converter judge whether the peer is late."""
        return self._converter.batch_received(count)

    def perceive(self, event: Event) -> Cycle[Event]:
        """Do one step of motion for each state of the body."""
        if isinstance(event, Unknown):
            self._tell_once(event.raw)
        state = self._converter.body_state(event)
        self._now = None
        if state is None:
            return Cycle(event, None, None)
        self._show_frames()
        self._now = self._interface.stamp(state.time)
        self._interface.show_state(state, self._now)
        return Cycle(event, state, self._queue.step(state))

    def respond(self, percept: Cycle[Event]) -> Iterable[Command]:
        """Yield the commands that move the body on."""
        return self._converter.answer(percept)

    def ready(self, percept: Cycle[Event]) -> bool:
        """Return that the handshake is complete: the first state of the body completes it."""
        return percept.state is not None

    def observe(self, percept: Cycle[Event]) -> None:
        """Publish what else the event says. An event has one stamp, because that may publish the time on /clock."""
        state = percept.state
        self._show_frames()
        for sentence in self._converter.left_out():
            self._tell(sentence)
        stamp = self._now or self._interface.stamp(None)
        for topic, message in self._converter.messages(percept, stamp):
            self._interface.publish(topic, message)
        if state is not None:
            self._interface.after_step(state, stamp)

    def _tell_once(self, raw: bytes) -> None:
        word = bytes(raw[:WORD]).partition(b" ")[0]
        if word not in self._unknown and len(self._unknown) < MAX_TOLD:
            self._unknown.add(word)
            self._tell(
                f"the peer sends {excerpt(raw)}, which has no meaning here; diagnostics count such events"
            )

    def _show_frames(self) -> None:
        frames = self._converter.fixed_frames()
        if frames is not self._frames:
            self._frames = frames
            self._interface.show_frames(frames)

    def lost(self, reason: str) -> None:
        """Fail the running skills."""
        self._queue.lost(reason)


MakeCodec: TypeAlias = Callable[[], Codec[object, object]]
BodySession: TypeAlias = Session[object, object, Cycle[object]]

# s for the first message of a peer that makes one body after the other; a busy machine is slow
MAKING_TIMEOUT = 60.0
PROBE_TIMEOUT = 20.0  # s; a soccer world compiles in 1 to 3 s, and in several times that on a busy machine

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
    """Connects one body of one protocol. ``find_spec(name)`` gives the spec of a protocol or raises ConfigError."""

    def __init__(self, find_spec: Callable[[str], ProtocolSpec], **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("agent_bridge", PARAMETERS, **node_kwargs)
        self._find_spec = find_spec

    def configure(self) -> None:
        """Build the parts: converter, motion, publishers, session."""
        values = self.values
        spec = self._find_spec(values["protocol"])
        if not (spec.converter and spec.outputs):
            raise ConfigError(
                f"parameter protocol is {spec.name!r}: no body speaks it; it is for `decode` and other nodes"
            )
        values.update(declare(self, spec.parameters))
        if values["transport"] == "replay" and not values["recording"]:
            raise ConfigError(
                "parameter recording is empty: transport replay needs the path of a byte stream"
            )
        if not values["body_file"]:
            raise ConfigError("parameter body_file is empty: which body? (its file, of config/bodies)")
        body = read_body(Path(values["body_file"]))
        converter = resolve(spec.converter)(values, body)
        if not isinstance(converter, Converter):
            raise ConfigError(
                f"protocol {spec.name!r}: {spec.converter} makes no Converter of protocols.contract"
            )
        make_codec: MakeCodec = partial(resolve(spec.codec), **converter.codec_options())
        _check_handshake(make_codec(), converter)
        self._interface = BodyInterface(
            self,
            body,
            spec.topics(),
            self._refusal,
            converter.native_skills(),
            converter.things,
            fixed_frames=converter.fixed_frames,
        )
        for warning in converter.warnings():
            self.get_logger().warning(warning)
        converter.set_demand(self._interface.wanted)
        ProtocolInputs(self, spec, converter, self._refusal)
        self._session = self._make_session(spec, converter, make_codec)

    def activate(self) -> None:
        """Open the link."""
        self._session.start()

    def deactivate(self) -> None:
        """Leave the peer; skills that run have failed."""
        self._session.stop()

    def cleanup(self) -> None:
        """Close the topic of the link: a session that its peer did not let go may still tell of it."""
        self._interface.link.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the state of the link, and how fast percepts are answered."""
        if not self.active:
            return super().diagnose()
        return session_diagnostics(self._session.status, self._session.counters)

    def _make_session(
        self, spec: ProtocolSpec, converter: Converter[object, object], make_codec: MakeCodec
    ) -> BodySession:
        agent = BodyAgent(converter, self._interface, self.get_logger().warning)
        return Session(
            self._open_link(spec, make_codec),
            agent,
            self._interface.link.publish,
            peer=_peer(self.values),
            handshake_timeout=MAKING_TIMEOUT if spec.stay_for_answer else HANDSHAKE_TIMEOUT,
            refusal=spec.refusal,
            quiet_after=spec.quiet_after,
            stay_for_answer=spec.stay_for_answer,
            loop=link_loop.PROCESS,
        )

    def _open_link(self, spec: ProtocolSpec, make_codec: MakeCodec) -> OpenLink[object, object]:
        if self.values["transport"] == "managed":
            return _managed(spec, self.values)
        connect = partial(_connect, self.values, spec.probe)
        if spec.link:
            return linked(connect, make_codec, partial(resolve(spec.link), self.values))
        return linked(connect, make_codec)

    def _refusal(self) -> str:
        """Return why no skill can be started now; empty if one can."""
        if not self.active:
            return self.inactive
        return not_there("the body", self._session.status)


def _check_handshake(codec: Codec[object, object], converter: Converter[object, object]) -> None:
    """Check that the handshake can be encoded, so that wrong parameters fail here and not at a waiting peer.

    Raises:
        CommandError: such a parameter; the text names it.
    """
    for command in converter.handshake():
        codec.encode(command)


def _managed(spec: ProtocolSpec, values: ParameterValues) -> OpenLink[object, object]:
    if not spec.managed:
        raise ConfigError(f"parameter transport is 'managed': protocol {spec.name!r} has no such simulation")
    made: OpenLink[object, object] = resolve(spec.managed)(values)
    return made


def _connect(values: ParameterValues, probe: str) -> Transport:
    if values["transport"] == "replay":
        return Replay(Path(str(values["recording"])), speed=float(values["replay_speed"]))
    host, port = str(values["host"]), int(values["port"])
    made: Transport
    if probe:
        made = ProbedClient(host, int(values[probe]), port, patience=PROBE_TIMEOUT)
    else:
        made = TcpClient(host, port, write_timeout=SHARED_WRITE_TIMEOUT)
    return Tape(made, Path(str(values["recording"]))) if values["recording"] else made


def _peer(values: ParameterValues) -> str:
    if values["transport"] == "managed":
        return f"managed://{values['protocol']}"
    if values["transport"] == "replay":
        return f"replay://{values['recording']}"
    return f"tcp://{values['host']}:{values['port']}"
