# SPDX-License-Identifier: Apache-2.0
"""The launch file of the soccer monitor: which server, which port, which namespace."""

import pytest
from launch_cases import ENVIRONMENT, ROOT

from embodiment_bridge.launching.read import read_launch

FILE = ROOT / "launch/soccer_monitor.launch.xml"


@pytest.mark.parametrize(
    ("arguments", "protocol", "port", "namespace"),
    [
        ({}, "simspark_monitor", 3200, "/monitor"),
        ({"server": "rcsssmj"}, "rcsssmj_monitor", 60001, "/monitor"),
        ({"server": "rcsssmj", "port": "7001", "namespace": "/"}, "rcsssmj_monitor", 7001, "/"),
    ],
)
def test_node_has_the_protocol_and_port_of_its_server(arguments, protocol, port, namespace):
    launch = read_launch(FILE, arguments, find_share=lambda _: ROOT, environment=ENVIRONMENT)
    (node,) = launch.nodes
    values = {}
    for item in node.parameters:
        values.update(item if isinstance(item, dict) else {})
    assert (node.executable, values["protocol"], values["port"]) == ("soccer_monitor", protocol, port)
    assert node.namespace == namespace
