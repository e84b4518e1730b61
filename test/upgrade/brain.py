"""Greets the ball: a complete brain for any body."""

from embodiment_bridge.launching.environment import prepare

prepare()  # what a sourced setup file does; harmless beside one

import rclpy
from diagnostic_msgs.msg import KeyValue
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.msg import EntityArray, SkillList

WISHES = (("say", {"text": "there is the ball"}), ("head_shake", {}), ("wave", {}))
STATUS = {1: "done", 2: "skipped", 3: "replaced", 4: "canceled", 5: "failed"}


class Brain(Node):
    """Does what it wishes once, one wish after the other."""

    def __init__(self) -> None:
        super().__init__("my_brain")
        self.skills: set[str] = set()
        self.left: list[tuple[str, dict[str, str]]] | None = None  # None: the ball was not seen yet
        self.client = ActionClient(self, ExecuteSkill, "execute_skill")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(SkillList, "skills", self.on_skills, latched)
        self.create_subscription(EntityArray, "entities", self.on_entities, 10)

    def on_skills(self, message: SkillList) -> None:
        self.skills = {skill.name for skill in message.skills if skill.available}

    def on_entities(self, message: EntityArray) -> None:
        ball = next((entity for entity in message.entities if entity.kind == "ball"), None)
        if ball is None or self.left is not None or not self.skills or not self.client.server_is_ready():
            return
        place = ball.pose.position
        print(f"ball at {place.x:.1f} {place.y:.1f} m", flush=True)
        self.left = [wish for wish in WISHES if wish[0] in self.skills]
        self.next()

    def next(self) -> None:
        """Ask for the next wish; a callback never waits."""
        if not self.left:
            rclpy.shutdown()
            return
        self.name, parameters = self.left.pop(0)
        goal = ExecuteSkill.Goal(name=self.name, source="my_brain")
        goal.parameters = [KeyValue(key=key, value=value) for key, value in parameters.items()]
        self.client.send_goal_async(goal).add_done_callback(self.on_answer)

    def on_answer(self, answer) -> None:
        answer.result().get_result_async().add_done_callback(self.on_result)

    def on_result(self, answer) -> None:
        result = answer.result().result
        print(f"{self.name}: {STATUS[result.status]} {result.reason}".strip(), flush=True)
        self.next()


rclpy.init()
rclpy.spin(Brain())
