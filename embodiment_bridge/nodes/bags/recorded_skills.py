# SPDX-License-Identifier: Apache-2.0
"""Serves the skills of a recorded body: each takes its time and is reported as skipped."""

from rclpy.node import Node
from rclpy.serialization import deserialize_message

from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.body.description import BodyDescription, Skill
from embodiment_bridge.body.skill_info import Parameter, TextParameter
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.msg import SkillInfo, SkillList
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.skill_server import SkillServer

RATE = 20.0  # Hz
ANY_LENGTH = 10_000  # characters: parameters that the recorded body accepted are not refused
LONGEST_S = 86400.0


class RecordedSkills:
    """Serves the skills of a recorded SkillList, so that a brain can work with a recording."""

    def __init__(self, node: Node, recorded: SkillList) -> None:
        self._node = node
        body = description_of(recorded)
        self._queue = SkillQueue(MotionRunner(body), lambda report: self._server.report(report))
        self._server = SkillServer(node, self._queue, body.name, body.skill_infos(), lambda: "")
        self._time = 0.0
        self._timer = node.create_timer(1.0 / RATE, self._step)

    def destroy(self) -> None:
        """Remove everything from the graph."""
        self._node.destroy_timer(self._timer)
        self._queue.lost("the recording was closed")
        self._server.destroy()

    def _step(self) -> None:
        self._time += 1.0 / RATE
        self._queue.step(BodyState(self._time, (), ()))


def recorded_list(reader: BagReader) -> SkillList | None:
    """The first list of skills in a recording; None where it has none."""
    names = {name for name in reader.topics if name.endswith("/skills")}
    for message in reader.messages(names):
        found: SkillList = deserialize_message(message.data, SkillList)
        return found
    return None


def description_of(recorded: SkillList) -> BodyDescription:
    """A body without channels that has all skills of a SkillList."""
    skills = {one.name: _skill(one) for one in recorded.skills}
    return BodyDescription(recorded.body, (), skills=skills)


def _skill(recorded: SkillInfo) -> Skill:
    nominal = min(max(float(recorded.nominal), 0.0), LONGEST_S)
    parameters: tuple[Parameter | TextParameter, ...] = tuple(
        TextParameter(name, ANY_LENGTH, "") for name in recorded.parameters
    )
    least = min(float(recorded.minimum), nominal)
    channels = tuple(recorded.channels) or ("body",)
    return Skill(recorded.name, "motion", channels, nominal, least, parameters=parameters)
