# SPDX-License-Identifier: Apache-2.0
"""A Nao in the stand-in's world, with codec, converter and motion but without sockets and ROS."""

from pathlib import Path
from random import Random

from builtin_interfaces.msg import Time

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.protocols.simspark.converter import NaoConverter
from embodiment_bridge.standins.simspark.agents import AgentConversation, Faults
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.framing import PREFIX_SIZE, frame

ROOT = Path(__file__).parents[3]
PARAMETERS = {
    "robot": "nao",
    "team": "bridge",
    "number": 2,
    "frame_prefix": "",
    "field_length": 30.0,
    "field_width": 20.0,
    "robot_description_file": str(ROOT / "urdf/nao.urdf"),
}
STAMP = Time(sec=1)


class Nao:
    """One robot and its bridge; ``cycle`` lets 20 ms pass for both, unless the world is stepped by others."""

    def __init__(self, world=None, faults=Faults(), body="nao.yaml", **parameters):  # noqa: B008 - frozen
        self.world = world or World(noise=False)
        true_pose = parameters.pop("true_pose", False)
        self.talk = AgentConversation(self.world, faults, Random(1), true_pose=true_pose)
        self.body = read_body(ROOT / "config/bodies" / body)
        robot = parameters.get("robot", "nao")
        limbs = robot if robot in ("nao1", "nao3") else body.removesuffix(".yaml")
        urdf = str(ROOT / "urdf" / f"{limbs}.urdf")
        values = {**PARAMETERS, "robot_description_file": urdf, **parameters}
        self.converter = NaoConverter(values, self.body)
        self.runner = MotionRunner(self.body, things=self.converter.things)
        self.codec = Codec(**self.converter.codec_options())
        self.state = None
        self.told = []  # (topic, message)
        self.sent = []  # payloads
        self.tell(self.converter.handshake())

    @property
    def player(self):
        return self.world.players[0] if self.world.players else None

    def tell(self, commands):
        for command in commands:
            payload = self.codec.encode(command)[PREFIX_SIZE:]
            self.sent.append(payload)
            self.talk.hear(payload)

    def cycle(self):
        self.world.step()
        self.percept()

    def burst(self, count):
        """Many cycles in a row, then all their percepts at once."""
        texts = []
        for _ in range(count):
            self.world.step()
            texts.append(self.talk.message())
        late = self.converter.batch_received(count)
        for text in texts:
            self.percept(text)
        return late

    def percept(self, text=None):
        text = self.talk.message() if text is None else text
        for event in self.codec.feed(frame(text.encode())) if text else ():
            before = self.state
            self.state = self.converter.body_state(event)
            targets = None
            if self.state is not None:
                dt = self.state.time - before.time if before else 0.0
                targets = self.runner.step(self.state, dt)
            cycle = Cycle(event, self.state, targets)
            self.tell(self.converter.answer(cycle))
            self.told += self.converter.messages(cycle, STAMP)

    def run(self, seconds):
        for _ in range(round(seconds / 0.02)):
            self.cycle()
        return self

    def do(self, name, patience=20.0, slot=0.0, **parameters):
        """Do a skill to its end; return how it ended, and how long that took in s."""
        self.runner.take_reports()
        self.runner.start(SkillRequest(name, name, parameters, slot))
        for count in range(round(patience / 0.02)):
            self.cycle()
            for report in self.runner.take_reports():
                if report.status.ended:
                    return report, count * 0.02
        raise AssertionError(f"{name} did not end within {patience} s")

    def topics(self):
        return {topic for topic, _ in self.told}

    def last(self, topic):
        return [message for told, message in self.told if told == topic][-1]
