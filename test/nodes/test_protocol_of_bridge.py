# SPDX-License-Identifier: Apache-2.0
"""A protocol that no body speaks is refused by name, and the process goes on."""

import time

import pytest
from rclpy.parameter import Parameter

from embodiment_bridge import registry
from embodiment_bridge.launching.executables import agent_bridge
from embodiment_bridge.nodes.runtime import Runtime

NO_BODY = [
    name
    for name in registry.protocols()
    if not (registry.room(name).converter and registry.room(name).outputs)
]


@pytest.mark.parametrize("protocol", [*NO_BODY, "telepathy"])
def test_is_refused_by_name(protocol, capfd) -> None:
    with Runtime() as runtime:
        override = Parameter("protocol", value=protocol)
        node = runtime.add(agent_bridge(parameter_overrides=[override], context=runtime.context))
        deadline = time.monotonic() + 20.0
        runtime.spin(lambda: node.refused or time.monotonic() > deadline)
        assert node.refused
        assert not node.active
    assert repr(protocol) in capfd.readouterr().err
