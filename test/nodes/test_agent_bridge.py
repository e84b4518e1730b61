# SPDX-License-Identifier: Apache-2.0
"""A bridge names the parameter with which it cannot be one, and publishes what somebody listens to."""

from pathlib import Path

import pytest
from embodiment_bridge.msg import GameState
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from waiting import spin_until

from embodiment_bridge.launching.executables import agent_bridge
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body import agent_bridge as module
from embodiment_bridge.protocols import registry

NO_BODY = [
    name
    for name in registry.protocols()
    if not (registry.spec(name).converter and registry.spec(name).outputs)
]


def refused(override: Parameter) -> bool:
    with Runtime() as runtime:
        node = runtime.add(agent_bridge(parameter_overrides=[override], context=runtime.context))
        spin_until(runtime, lambda: node.refused)
        return node.refused and not node.active


@pytest.mark.parametrize("protocol", [*NO_BODY, "telepathy"])
def test_a_protocol_that_no_body_speaks_is_refused_by_name(protocol, capfd) -> None:
    assert refused(Parameter("protocol", value=protocol))
    assert repr(protocol) in capfd.readouterr().err


@pytest.mark.parametrize(
    ("protocol", "body", "patience"), [("rcsssmj", "t1", 60.0), ("simspark", "nao", 15.0)]
)
def test_a_peer_that_makes_one_body_after_the_other_has_a_minute_for_its_first_message(
    monkeypatch, protocol, body, patience
) -> None:
    told = []
    session = module.Session
    monkeypatch.setattr(
        module, "Session", lambda *words, **named: told.append(named) or session(*words, **named)
    )
    body_file = Path(__file__).parents[2] / f"config/bodies/{body}.yaml"
    values = {"protocol": protocol, "body_file": str(body_file), "autostart": False}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    with Runtime() as runtime:
        node = runtime.add(agent_bridge(parameter_overrides=overrides, context=runtime.context))
        node.trigger_configure()
    assert [named["handshake_timeout"] for named in told] == [patience]


def test_a_body_has_to_be_named(capfd) -> None:
    assert refused(Parameter("body_file", value=""))
    assert "parameter body_file is empty" in capfd.readouterr().err


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
