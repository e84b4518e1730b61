# SPDX-License-Identifier: Apache-2.0
"""The parts that all body nodes share: skills, commands, status, model, markers, link, clock."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

from builtin_interfaces.msg import Time

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, SkillReport
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.skills.lights import Shown
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import overridable, profile
from embodiment_bridge.nodes.body.body_clock import BodyClock
from embodiment_bridge.nodes.body.body_commands import BodyCommands
from embodiment_bridge.nodes.body.body_status import BodyStatusPublisher
from embodiment_bridge.nodes.body.link_publisher import LinkPublisher
from embodiment_bridge.nodes.body.marker_publisher import DRAWN, MarkerPublisher
from embodiment_bridge.nodes.body.robot_model import RobotModel
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.skill_server import SkillServer
from embodiment_bridge.protocols.spec import Output
from embodiment_bridge.scene.markers import Light

PARAMETERS = (
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


class BodyInterface:
    """The parts of a body node that do not depend on the kind of body.

    ``queue`` moves the body, ``link`` publishes the state of the link, ``status`` that of the body, ``stamp`` gives
    the ROS time of an event. "Session's thread" means the thread that steps the queue.

    Args:
        node: configured, with the values of ``PARAMETERS``.
        body: its description.
        outputs: topics of this body.
        refusal: says why requests are refused now; empty if they are not.
        native_skills, to_rest: see ``MotionRunner``.
    """

    def __init__(
        self,
        node: BridgeNode,
        body: BodyDescription,
        outputs: Collection[Output],
        refusal: Callable[[], str],
        native_skills: Mapping[str, Start] = MappingProxyType({}),
        *,
        to_rest: bool = True,
    ) -> None:
        values, prefix = node.values, node.values["frame_prefix"]
        self._node = node
        self._runner = MotionRunner(body, native_skills, to_rest=to_rest)
        self.queue = SkillQueue(self._runner, self._report)
        self._model = RobotModel(
            node,
            [joint.name for joint in body.joints],
            values["robot_description_file"],
            publish_links=values["publish_links"],
            frame_prefix=prefix,
        )
        self._clock = BodyClock(node, values["publish_clock"])
        self.stamp = self._clock.stamp
        self.status = BodyStatusPublisher(node, self._runner, self.queue)
        self._latched = {output.topic for output in outputs if output.role == "latched"}
        self._outputs = {
            output.topic: node.create_publisher(
                resolve(output.type), output.topic, profile(output.role), qos_overriding_options=overridable()
            )
            for output in outputs
        }
        self._markers = MarkerPublisher(node, prefix)
        self._lights: Mapping[str, Shown] = {}
        self.link = LinkPublisher(node)
        self._skills = SkillServer(node, self.queue, body.name, body.skill_infos(), refusal)
        self._commands = BodyCommands(
            node, self.queue, walks=body.carrier is not None, frame_prefix=prefix, refusal=refusal
        )

    @property
    def velocity(self) -> tuple[float, float]:
        """Commanded velocity of the base until the next step: m/s forward, rad/s (+ left). Session's thread only."""
        return self._runner.velocity

    def wanted(self, topic: str) -> bool:
        """Whether a topic of this body has subscribers, is drawn by markers, or is latched."""
        return (
            bool(self._outputs[topic].get_subscription_count())
            or topic in self._latched
            or (topic in DRAWN and self._markers.wanted)
        )

    def publish(self, topic: str, message: Any) -> None:
        """Publish on a topic of this body, and draw the message if markers show that topic."""
        self._outputs[topic].publish(message)
        self._markers.update(topic, message)

    def after_step(self, state: BodyState, stamp: Time) -> None:
        """Publish the state of the body after a step of the queue. Session's thread only."""
        self._model.publish(state, stamp)
        self.status.publish(stamp)
        if self._runner.lights is not self._lights:
            self._lights = self._runner.lights
            self._markers.show(
                {name: Light(*shown.color, 1.0, shown.pattern) for name, shown in self._lights.items()}
            )
        self._markers.publish(stamp)

    def destroy(self) -> None:
        """Remove everything from the graph."""
        for part in (
            self._commands,
            self._skills,
            self.link,
            self._clock,
            self._model,
            self.status,
            self._markers,
        ):
            part.destroy()
        for publisher in self._outputs.values():
            self._node.destroy_publisher(publisher)

    def _report(self, report: SkillReport) -> None:
        self._skills.report(report)
