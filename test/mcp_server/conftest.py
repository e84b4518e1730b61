# SPDX-License-Identifier: Apache-2.0
"""One robot for the tests of a file."""

import os

import pytest
from robot_stage import bringup
from waiting import GRAPH

from embodiment_bridge.mcp_server.host import SOURCE
from embodiment_bridge.robot.robot import Robot


@pytest.fixture(scope="module")
def robot(request):
    namespace = f"/{request.module.__name__.rpartition('.')[2]}{os.getpid()}"
    with Robot(namespace, source=SOURCE, graph=bringup(namespace), wait=GRAPH) as made:
        senses = made.senses
        assert senses.wait(lambda: senses.pose is not None and bool(made.see("ball")), GRAPH)
        assert senses.wait(lambda: (senses.link, senses.posture) == ("ready", "standing"), GRAPH)
        yield made
