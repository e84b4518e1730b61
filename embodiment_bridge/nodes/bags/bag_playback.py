# SPDX-License-Identifier: Apache-2.0
"""The node that plays a recording onto the graph, as recorded or as a body that a brain can work with.

Skills of such a body take their time and are reported as skipped.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger

from embodiment_bridge.bags.playback import SPEEDS, Playback
from embodiment_bridge.bags.reader import NANOSECONDS, BagReader, Message, Topic
from embodiment_bridge.body.description import BodyDescription, Skill
from embodiment_bridge.body.skill_info import Parameter as SkillParameter
from embodiment_bridge.body.skill_info import TextParameter
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.msg import SkillInfo, SkillList
from embodiment_bridge.nodes.bags.bag_qos import to_play
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.messages import message_class
from embodiment_bridge.nodes.base.parameters import NodeOptions, pattern
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.skill_server import SkillServer
from embodiment_bridge.srv import PlayLog

RATE = 20.0  # Hz
ANY_LENGTH = 10_000  # characters: parameters that the recorded body accepted are not refused
LONGEST_S = 86400.0


class RecordedSkills:
    """Serves the skills of a recorded SkillList, so that a brain can work with a recording."""

    def __init__(self, node: Node, recorded: SkillList) -> None:
        body = description_of(recorded)
        self._queue = SkillQueue(MotionRunner(body), lambda report: self._server.report(report))
        self._server = SkillServer(node, self._queue, body.name, body.skill_infos(), lambda: "")
        self._time = 0.0
        node.create_timer(1.0 / RATE, self._step)

    def close(self) -> None:
        """End the skills that run."""
        self._queue.lost("the recording was closed")

    def _step(self) -> None:
        self._time += 1.0 / RATE
        self._queue.step(BodyState(self._time, (), ()))


def recorded_list(reader: BagReader) -> SkillList | None:
    """Return the first list of skills in a recording; None where it has none."""
    names = {name for name in reader.topics if name.endswith("/skills")}
    for message in reader.messages(names):
        found: SkillList = deserialize_message(message.data, SkillList)
        return found
    return None


def description_of(recorded: SkillList) -> BodyDescription:
    """Return a body without channels that has all skills of a SkillList."""
    skills = {one.name: _skill(one) for one in recorded.skills}
    return BodyDescription(recorded.body, (), skills=skills)


def _skill(recorded: SkillInfo) -> Skill:
    nominal = min(max(float(recorded.nominal), 0.0), LONGEST_S)
    parameters: tuple[SkillParameter | TextParameter, ...] = tuple(
        TextParameter(name, ANY_LENGTH, "") for name in recorded.parameters
    )
    least = min(float(recorded.minimum), nominal)
    channels = tuple(recorded.channels) or ("body",)
    return Skill(recorded.name, "motion", channels, nominal, least, parameters=parameters)


NEVER = re.compile(r"/(rosout|parameter_events)$|.*/_|.*/transition_event$|/diagnostics$")
# What every body and the tree take from others; the inputs of protocols come to these.
ASKED = (
    "joint_trajectory", "joint_command", "cmd_vel", "goal_pose", "say", "speak", "bml", "lights", "keep_alive",
    "skills", "feelings", "psi_demands",
)  # fmt: skip
GLOBAL = ("/tf", "/tf_static", "/clock")
PARAMETERS = (
    Parameter("bag", "", "Recording to play: a rosbag2 directory."),
    Parameter("speed", 1.0, "Multiple of real time.", *SPEEDS),
    Parameter("loop", False, "Begin again at the end; stamps and /clock jump back then."),
    Parameter("begin", 0.0, "Where to begin, s from the beginning of the recording.", 0.0, 1e7),
    Parameter("paused", False, "Start paused, until `~/resume`."),
    Parameter("include", ".*", "Regular expression of the names of topics to play, from their beginning."),
    Parameter("exclude", "", "Regular expression of the names of topics to leave out; empty: none."),
    Parameter("publish_clock", True, "Publish the time of the recording on /clock."),
    Parameter("body", False, "Act as the body: play its sensors, and skip every requested skill."),
    Parameter(
        "recorded_namespace",
        "auto",
        "Namespace of the recorded robot, which becomes that of this node. auto: that of joint_states.",
    ),
)


def asked_of_a_body(inputs: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the full names of topics that command a body."""
    return re.compile(rf".*/({'|'.join(map(re.escape, (*ASKED, *inputs)))})$|.*/behavior_tree/")


class BagPlayback(BridgeNode):
    """Plays one recording; as a body, without the topics on which a body is asked for something.

    inputs: names of topics that the protocols take.
    """

    def __init__(self, inputs: Iterable[str] = (), **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("player", PARAMETERS, **node_kwargs)
        self._asked = asked_of_a_body(inputs)
        self._playback: Playback | None = None
        self._clock_topic: Publisher | None = None
        self._skills: RecordedSkills | None = None
        self.duration = 0.0  # s, of the recording

    @property
    def playback(self) -> Playback | None:
        """The playback; None while the node is inactive."""
        return self._playback

    def configure(self) -> None:
        """Read the topics of the recording, and create their publishers."""
        values = self.values
        if not values["bag"]:
            raise ConfigError(
                "parameter bag is empty: which recording? (a rosbag2 directory; argument port of the launch file)"
            )
        with BagReader(Path(values["bag"])) as reader:
            self._recorded, self.duration = reader.topics, reader.duration
            if reader.cut:
                text = f"its recorder was killed; what is whole is played, up to {self.duration:.2f} s"
                self.get_logger().warning(f"{values['bag']}: {text}")
            recorded_skills = self._recorded_skills(reader) if values["body"] else None
        wanted = self._wanted()
        self._topics = {
            topic.name: self.create_publisher(
                message_class(topic.type_name), self._name_here(topic.name), to_play(topic)
            )
            for topic in wanted
        }
        if values["publish_clock"]:
            self._clock_topic = self.create_publisher(Clock, "/clock", profile("sensor"))
        self._skills = RecordedSkills(self, recorded_skills) if recorded_skills is not None else None
        self.create_service(Trigger, "~/pause", self._pause)
        self.create_service(Trigger, "~/resume", self._resume)
        self.create_service(PlayLog, "~/play", self._control)

    def activate(self) -> None:
        """Start to play."""
        values = self.values
        self._reader = BagReader(Path(values["bag"]))
        self._playback = Playback(
            self._reader,
            set(self._topics),
            self._publish,
            self._tick,
            speed=values["speed"],
            loop=values["loop"],
        )
        self._playback.seek(values["begin"])
        if not values["paused"]:
            self._playback.resume()

    def deactivate(self) -> None:
        """Stop playing."""
        if self._playback is not None:
            self._playback.close()
            self._playback = None
            self._reader.close()

    def cleanup(self) -> None:
        """End the skills of the recorded body."""
        if self._skills is not None:
            self._skills.close()
            self._skills = None
        self._clock_topic = None

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the position in the recording."""
        playback = self._playback
        if playback is None:
            return super().diagnose()
        values = {
            "position_s": f"{playback.position:.2f}",
            "duration_s": f"{self.duration:.2f}",
            "speed": playback.speed,
            "rounds": playback.rounds,
        }
        if playback.error:
            return DiagnosticStatus.ERROR, playback.error, values
        state = "ended" if playback.ended else "paused" if playback.paused else "playing"
        return DiagnosticStatus.OK, state, values

    def _wanted(self) -> list[Topic]:
        """Return the topics to play; those with a type that is not installed are left out with a warning."""
        include, exclude = (pattern(self.values, name) for name in ("include", "exclude"))
        clocked, body = self.values["publish_clock"], self.values["body"]
        wanted = []
        for topic in self._recorded.values():
            left_out = NEVER.match(topic.name) or (clocked and topic.name == "/clock")
            if left_out or (body and self._asked.match(topic.name)):
                continue
            if include.match(topic.name) and not (self.values["exclude"] and exclude.match(topic.name)):
                try:
                    message_class(topic.type_name)
                except ConfigError as error:
                    self.get_logger().warning(f"{topic.name} is not played: {error}")
                    continue
                wanted.append(topic)
        if not wanted:
            known = ", ".join(sorted(self._recorded)) or "none"
            raise ConfigError(f"recording {self.values['bag']}: no topic to play (it has: {known})")
        return wanted

    def _recorded_namespace(self) -> str:
        chosen: str = self.values["recorded_namespace"]
        if chosen != "auto":
            return "/" + chosen.strip("/")
        robots = [
            name.removesuffix("joint_states") for name in self._recorded if name.endswith("/joint_states")
        ]
        return "/" + robots[0].strip("/") if len(robots) == 1 else "/"

    def _name_here(self, topic: str) -> str:
        """Return the name to play a topic on: those in the recorded robot's namespace become relative."""
        base = self._recorded_namespace().rstrip("/") + "/"
        return topic.removeprefix(base) if topic.startswith(base) and topic not in GLOBAL else topic

    def _recorded_skills(self, reader: BagReader) -> SkillList | None:
        """Return the first list of skills in the recording, if it has one."""
        found = recorded_list(reader)
        if found is None:
            self.get_logger().warning(
                f"{self.values['bag']} has no topic `skills`: no skill can be requested"
            )
        return found

    def _publish(self, message: Message) -> None:
        self._topics[message.topic].publish(message.data)

    def _tick(self, place: float) -> None:
        if self._clock_topic is not None:
            now = self._reader.begin + round(place * NANOSECONDS)
            clock = Clock()
            clock.clock.sec, clock.clock.nanosec = divmod(now, NANOSECONDS)
            self._clock_topic.publish(clock)

    def _pause(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, PlayLog.Request(action=PlayLog.Request.PAUSE))

    def _resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, PlayLog.Request(action=PlayLog.Request.RESUME))

    def _answer(self, response: Trigger.Response, request: PlayLog.Request) -> Trigger.Response:
        answer = self._control(request, PlayLog.Response())
        response.success = answer.success
        response.message = answer.message or f"at {answer.time:.2f} of {answer.duration:.2f} s"
        return response

    def _control(self, request: PlayLog.Request, response: PlayLog.Response) -> PlayLog.Response:
        playback = self._playback
        if playback is None:
            response.message = self.inactive
            return response
        try:
            _obey(playback, request)
            response.success = True
        except ConfigError as error:
            response.message = str(error)
        response.time, response.duration = playback.position, self.duration
        response.paused, response.speed = playback.paused, playback.speed
        return response


def _obey(playback: Playback, request: PlayLog.Request) -> None:
    if playback.error:
        raise ConfigError(playback.error)
    if request.set_speed:
        playback.set_speed(request.speed or SPEEDS[1])
    if request.seek:
        playback.seek(request.time)
    if request.action == PlayLog.Request.PAUSE:
        playback.pause()
    elif request.action == PlayLog.Request.RESUME:
        playback.resume()
