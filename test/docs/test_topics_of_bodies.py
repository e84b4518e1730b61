# SPDX-License-Identifier: Apache-2.0
"""The README lists a topic as one of a body only when a body of this package publishes it."""

import re
from pathlib import Path

from embodiment_bridge.nodes.body import joint_driver, mock_body
from embodiment_bridge.protocols.registry import OURS, spec

ROOT = Path(__file__).parents[2]
TOPIC = re.compile(r"`([a-z_/]+)`")
# What every body publishes by nodes/body, and /clock and /diagnostics, which are of no namespace.
EVERY_BODY = {
    "body_status", "link_state", "skills", "robot_description", "/tf", "/tf_static", "markers", "odom", "/clock",
    "/diagnostics",
}  # fmt: skip


def listed() -> set[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = text.split("A body publishes", 1)[1].split("The other nodes", 1)[0].splitlines()
    cells = [row.split("|")[1] for row in rows if row.startswith("| `")]
    return {name for cell in cells for name in TOPIC.findall(cell)}


def test_every_topic_of_the_table_is_published_by_a_body() -> None:
    outputs = [*mock_body.OUTPUTS, *joint_driver.OUTPUTS]
    outputs += [output for name in OURS for output in spec(name).topics()]
    published = {output.topic for output in outputs}
    assert listed() > {"joint_states", "entities"}
    assert listed() - published <= EVERY_BODY
    assert "touch" not in listed()  # no robot of these simulators has touch sensors
