# SPDX-License-Identifier: Apache-2.0
"""The node that gives a body of some protocol to ROS: topics out, skills in."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.publisher import Publisher

from embodiment_bridge.body import BodyState
from embodiment_bridge.body_file import read_body
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body_agent import BodyAgent
from embodiment_bridge.nodes.body_clock import BodyClock
from embodiment_bridge.nodes.body_commands import BodyCommands
from embodiment_bridge.nodes.body_status import BodyStatusPublisher
from embodiment_bridge.nodes.bridge_node import BridgeNode
from embodiment_bridge.nodes.link_publisher import LinkPublisher
from embodiment_bridge.nodes.marker_publisher import MarkerPublisher
from embodiment_bridge.nodes.parameters import declare
from embodiment_bridge.nodes.qos import overridable, profile
from embodiment_bridge.nodes.robot_model import RobotModel
from embodiment_bridge.nodes.room_inputs import RoomInputs
from embodiment_bridge.nodes.skill_desk import SkillDesk
from embodiment_bridge.nodes.skill_server import SkillServer
from embodiment_bridge.nodes.statistics import session_diagnostics
from embodiment_bridge.protocols.contract import Codec, Converter, Parameter, Room, resolve
from embodiment_bridge.session import Phase, Session
from embodiment_bridge.transports.base import Transport
from embodiment_bridge.transports.replay import Replay
from embodiment_bridge.transports.tcp_client import TcpClient, await_first_bytes

PROBE_TIMEOUT = 10.0  # s; a soccer world compiles in 1 to 3 s

PARAMETERS = (
    Parameter("protocol", "rcsssmj", "Protocol of the body, a name of the registry."),
    Parameter("host", "127.0.0.1", "Host of the simulator or robot."),
    Parameter(
        "transport", "tcp", "How bytes come: from the peer, or from a recording.", choices=("tcp", "replay")
    ),
    Parameter("recording", "", "Path of the recorded byte stream that transport replay plays."),
    Parameter("replay_speed", 1.0, "1 is as recorded, 2 twice as fast, 0 as fast as possible.", 0.0, 100.0),
    Parameter("body_file", "", "Path of the body's description (config/bodies/*.yaml)."),
    Parameter(
        "robot_description_file", "", "Path of the body's URDF; empty: no link transforms are published."
    ),
    Parameter(
        "publish_links", True, "Publish the links of the URDF on /tf; false beside robot_state_publisher."
    ),
    Parameter("publish_clock", False, "Publish the body's time on /clock; for exactly one simulator node."),
    Parameter("frame_prefix", "", "Put before every frame name, e.g. player1/."),
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
        values.update(declare(self, room.parameters))
        body = read_body(Path(values["body_file"]))
        runner = MotionRunner(body)
        self._desk = SkillDesk(runner, lambda report: self._skills.report(report))
        self._model = RobotModel(
            self,
            [joint.name for joint in body.joints],
            values["robot_description_file"],
            publish_links=values["publish_links"],
            frame_prefix=values["frame_prefix"],
        )
        self._body_clock = BodyClock(self, values["publish_clock"])
        self._status = BodyStatusPublisher(self, runner, self._desk)
        self._outputs = self._make_publishers(room)
        self._markers = MarkerPublisher(self, values["frame_prefix"])
        self._link = LinkPublisher(self)
        self._skills = SkillServer(self, self._desk, body.name, body.skill_infos(), self._refusal)
        self._commands = BodyCommands(
            self,
            self._desk,
            walks=body.carrier is not None,
            frame_prefix=values["frame_prefix"],
            refusal=self._refusal,
        )
        converter: Converter = resolve(room.converter)(values, body)
        for remark in getattr(converter, "remarks", list)():
            self.get_logger().warning(remark)
        self._inputs = RoomInputs(self, room, converter, self._refusal)
        self._session = self._make_session(room, converter)

    def activate(self) -> None:
        """Open the link."""
        self._session.start()

    def deactivate(self) -> None:
        """Leave the peer; skills that run have failed."""
        self._session.stop()

    def cleanup(self) -> None:
        """Take everything that configure made off the graph."""
        for part in (
            self._inputs,
            self._commands,
            self._skills,
            self._link,
            self._body_clock,
            self._model,
            self._status,
            self._markers,
        ):
            part.destroy()
        for publisher in self._outputs.values():
            self.destroy_publisher(publisher)

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """How the link stands, and how fast percepts are answered."""
        if not self.active:
            return super().diagnose()
        return session_diagnostics(self._session)

    def _make_publishers(self, room: Room) -> dict[str, Publisher]:
        return {
            output.topic: self.create_publisher(
                resolve(output.type), output.topic, profile(output.role), qos_overriding_options=overridable()
            )
            for output in room.outputs
        }

    def _make_session(self, room: Room, converter: Converter) -> Session:
        make_codec = partial(resolve(room.codec), **converter.codec_options())
        _check_greeting(make_codec(), converter)
        agent = BodyAgent(converter, self._desk, self._output, self._body_clock.stamp, self._after_step)
        return Session(
            partial(_connect, self.values, room.probe),
            make_codec,
            agent,
            self._link.publish,
            peer=_peer(self.values),
            refusal=room.refusal,
        )

    def _output(self, topic: str, message: Any) -> None:
        self._outputs[topic].publish(message)
        self._markers.take(topic, message)

    def _after_step(self, state: BodyState, stamp: Time) -> None:
        self._model.publish(state, stamp)
        self._status.publish(stamp)
        self._markers.publish(stamp)

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


def _connect(values: Mapping[str, Any], probe: str) -> Transport:
    if values["transport"] == "replay":
        return Replay(Path(values["recording"]), speed=values["replay_speed"])
    if probe:
        await_first_bytes(values["host"], values[probe], timeout=PROBE_TIMEOUT)
    return TcpClient(values["host"], values["port"])


def _peer(values: Mapping[str, Any]) -> str:
    if values["transport"] == "replay":
        return f"replay://{values['recording']}"
    return f"tcp://{values['host']}:{values['port']}"
