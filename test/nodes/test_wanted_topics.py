# SPDX-License-Identifier: Apache-2.0
"""A body node publishes what somebody listens to, and what late listeners shall get."""

from pathlib import Path

from embodiment_bridge.msg import GameState
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from waiting import spin_until

from embodiment_bridge.launching.executables import agent_bridge
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime

ROOT = Path(__file__).parents[2]
VALUES = {
    "transport": "replay",
    "recording": str(ROOT / "test/data/rcsssmj/short_agent_t1.bin"),
    "body_file": str(ROOT / "config/bodies/t1.yaml"),
}


def test_late_listener_gets_the_latched_topic_and_then_the_others() -> None:
    with Runtime() as runtime:
        overrides = [Parameter(name, value=value) for name, value in VALUES.items()]
        node = runtime.add(agent_bridge(parameter_overrides=overrides, context=runtime.context))
        spin_until(runtime, lambda: int(node.diagnose()[2].get("connects", 0)) > 0)
        games, joints = [], []
        late = runtime.add(Node("late", context=runtime.context))
        late.create_subscription(GameState, "game_state", games.append, profile("latched"))
        spin_until(runtime, lambda: bool(games))
        late.create_subscription(JointState, "joint_states", joints.append, profile("sensor"))
        spin_until(runtime, lambda: bool(joints))
