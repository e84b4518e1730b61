# SPDX-License-Identifier: Apache-2.0
"""A body with a behaviour tree for tests of brains, in a namespace of its own."""

import os
from pathlib import Path

from embodiment_bridge.launching.launch_description import LaunchDescription
from embodiment_bridge.launching.read import read_launch

ROOT = Path(__file__).parents[1]
LONG = {"type": "loop", "loop": -1, "behavior": {"type": "body", "action": "HEAD_SHAKE", "duration": 2}}


def bringup(namespace: str, **arguments: str) -> LaunchDescription:
    """The launch file with the mock body, or with what ``arguments`` say."""
    given = {"body": "mock", "namespace": namespace, **arguments}
    return read_launch(
        ROOT / "launch/bringup.launch.xml", given, find_share=lambda _: ROOT, environment=os.environ
    )
