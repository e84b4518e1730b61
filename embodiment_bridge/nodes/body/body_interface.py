# SPDX-License-Identifier: Apache-2.0
"""The parts that all body nodes share.

Skills, commands, status, model, markers, link, and the clock of percepts, which may be published on /clock.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, SkillReport
from embodiment_bridge.body.surroundings import FixedFrames, Things, no_things
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.skills.lights import Shown
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.outlet import Outlet, PackedOutlet
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.body_commands import BodyCommands
from embodiment_bridge.nodes.body.body_publishers import (
    DRAWN,
    JointStates,
    MarkerPublisher,
    OdometryPublisher,
    RobotModel,
)
from embodiment_bridge.nodes.body.follow_trajectory import FollowTrajectory, JointSample
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.skill_server import SkillServer
from embodiment_bridge.nodes.body.status_publishers import BodyStatusPublisher, LinkPublisher
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.scene.markers import Light

NANOSECONDS = 1_000_000_000


class BodyClock:
    """Gives the stamp of each event, once per event: the node's time, or with ``publish`` the body's, as /clock.

    A simulator that restarts begins at zero; /clock continues from its last value, so that it never runs backwards.
    """

    def __init__(self, node: Node, publish: bool) -> None:
        self._node = node
        self._topic: PackedOutlet[str] | None = None
        if publish:
            self._topic = PackedOutlet(Outlet(node, Clock, "/clock", profile("sensor")), _message)
        self._last = 0
        self._offset = 0

    def stamp(self, seconds: float | None) -> Time:
        """Return the stamp of an event at ``seconds`` of the body's own clock."""
        if self._topic is None:
            now: Time = self._node.get_clock().now().to_msg()
            return now
        if seconds is not None:
            self._advance(round(seconds * NANOSECONDS))
            if self._topic.wanted:
                self._topic.publish("", (), self._time())
        return self._time()

    def _advance(self, body_time: int) -> None:
        if body_time + self._offset < self._last:
            self._offset = self._last - body_time
        self._last = body_time + self._offset

    def _time(self) -> Time:
        return Time(sec=self._last // NANOSECONDS, nanosec=self._last % NANOSECONDS)


def _message(shape: str, numbers: Sequence[float], stamp: Time) -> Clock:
    return Clock(clock=stamp)


PARAMETERS = (
    Parameter("body_file", "", "Path of the body's description (config/bodies/*.yaml)."),
    Parameter(
        "robot_description_file", "", "Path of the body's URDF; empty: no link transforms are published."
    ),
    Parameter(
        "publish_links", True, "Publish the links of the URDF on /tf; false beside robot_state_publisher."
    ),
    Parameter("publish_clock", False, "Publish the body's time on /clock; for exactly one simulator node."),
    Parameter(
        "enable_stamped_cmd_vel", False, "cmd_vel is a TwistStamped instead of a Twist, as Nav2 can send it."
    ),
    Parameter(
        "auto_get_up",
        False,
        "A fallen body that has the skill get_up starts it by itself, after a second of lying.",
    ),
    Parameter(
        "idle",
        True,
        "A body that has idle in its file breathes, shifts its weight and looks around while it has nothing to do.",
    ),
    Parameter("frame_prefix", "", "Put before every frame name, e.g. player1/."),
)
MICROPHONE = "microphone_link"  # in the head, where the body has one; a direction may come in base_link, too


class BodyInterface:
    """Holds the parts of a body node that do not depend on the kind of body.

    ``queue`` moves the body, ``link`` publishes the state of the link, ``status`` that of the body, ``stamp`` gives
    the ROS time of an event. "Session's thread" means the thread that steps the queue.

    Args:
        node: configured, with the values of ``PARAMETERS``.
        body: its description; a native skill without a starter is left out.
        outputs: topics of this body.
        refusal: says why requests are refused now; empty if they are not.
        native_skills, things, to_rest: see ``MotionRunner``.
        fixed_frames: gives the frame of the body's pose, and frames that do not move.
    """

    def __init__(
        self,
        node: BridgeNode,
        body: BodyDescription,
        outputs: Collection[Output],
        refusal: Callable[[], str],
        native_skills: Mapping[str, Start] = MappingProxyType({}),
        things: Things = no_things,
        *,
        fixed_frames: Callable[[], FixedFrames] = FixedFrames,
        to_rest: bool = True,
    ) -> None:
        values, prefix = node.values, node.values["frame_prefix"]
        body = body.doing(native_skills)
        self._runner = MotionRunner(
            body,
            native_skills,
            things,
            to_rest=to_rest,
            auto_get_up=values["auto_get_up"],
            idle=values["idle"],
        )
        self.queue = SkillQueue(self._runner, self._report)
        self._joints = [joint.name for joint in body.joints]
        self._model = RobotModel(
            node,
            self._joints,
            values["robot_description_file"],
            publish_links=values["publish_links"],
            frame_prefix=prefix,
            frames=fixed_frames(),
        )
        self.show_frames = self._model.show_frames
        self._clock = BodyClock(node, values["publish_clock"])
        self.stamp = self._clock.stamp
        self.status = BodyStatusPublisher(node, self._runner)
        self._of_state = {output.topic for output in outputs if output.of_state}
        self._latched = {output.topic for output in outputs if output.role == "latched"}
        self._outputs = {
            output.topic: Outlet(node, resolve(output.type), output.topic, profile(output.role))
            for output in outputs
            if output.topic not in self._of_state
        }
        self._joint_states = JointStates(node, self._joints) if self._of_state else None
        self._odometry = (
            OdometryPublisher(node, prefix)
            if body.carrier is not None and "odom" not in self._outputs
            else None
        )
        self._markers = MarkerPublisher(node, prefix)
        self._lights: Mapping[str, Shown] = {}
        self.link = LinkPublisher(node)
        self._connects = 0
        self._follow = FollowTrajectory.if_installed(node, self.queue, refusal) if self._joints else None
        if self._follow is not None:
            self.queue.on_lost = self._follow.lost
        self._skills = SkillServer(node, self.queue, body.name, body.skill_infos(), refusal)
        self._commands = BodyCommands(
            node,
            self.queue,
            walks=body.carrier is not None,
            stamped=values["enable_stamped_cmd_vel"],
            frame_prefix=prefix,
            frames=fixed_frames,
            refusal=refusal,
        )

    def join(self, peer: str) -> None:
        """Begin to move a body that is in this process: it is there from now on."""
        self._connects += 1
        self.queue.joined()
        self.link.publish(LinkStatus(Phase.READY, peer, connects=self._connects))

    def part(self, peer: str, reason: str) -> None:
        """End what runs for ``reason``: the body is there no more."""
        self.queue.lost(reason)
        self.link.publish(LinkStatus(Phase.CLOSED, peer, connects=self._connects))

    @property
    def velocity(self) -> tuple[float, float, float]:
        """Velocity of the base until the next step: m/s forward, m/s left, rad/s (+ left). Session's thread only."""
        return self._runner.velocity

    def wanted(self, topic: str) -> bool:
        """Return whether a topic's message is needed: it has subscribers, is latched, or is drawn."""
        return topic in self._outputs and (
            self._outputs[topic].wanted or topic in self._latched or (topic in DRAWN and self._markers.wanted)
        )

    def publish(self, topic: str, message: Any) -> None:
        """Publish on a topic of this body, and draw the message if markers show that topic. Session's thread only.

        What ``show_state`` publishes is left out: an old converter may not ask what is wanted.
        """
        if topic in self._of_state:
            return
        if topic == "heard" and message.has_direction:
            self._runner.hear(message.azimuth, by_head=message.header.frame_id.endswith(MICROPHONE))
        self._outputs[topic].publish(message)
        self._markers.update(topic, message)

    def show_state(self, state: BodyState, stamp: Time) -> None:
        """Publish where joints and links are. Session's thread only."""
        if self._joint_states is not None:
            self._joint_states.publish(state, stamp)
        self._model.publish(state, stamp)

    def after_step(self, state: BodyState, stamp: Time) -> None:
        """Publish the state of the body after a step of the queue. Session's thread only."""
        if self._follow is not None:
            columns = zip(state.position, state.velocity, self._runner.commanded, strict=True)
            self._follow.step(
                dict(zip(self._joints, map(JointSample._make, columns), strict=True)), state.time
            )
        if self._odometry is not None:
            self._odometry.publish(state, stamp)
        self.status.publish(stamp)
        if self._runner.lights.shown is not self._lights:
            self._lights = self._runner.lights.shown
            self._markers.show(
                {name: Light(*shown.color, 1.0, shown.pattern) for name, shown in self._lights.items()}
            )
        self._markers.publish(stamp)

    def _report(self, report: SkillReport) -> None:
        self._skills.report(report)
        if self._follow is not None:
            self._follow.report(report)
