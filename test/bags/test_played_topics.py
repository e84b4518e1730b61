# SPDX-License-Identifier: Apache-2.0
"""A recording that is played as a body asks nothing of a body."""

import json
from pathlib import Path

import pytest

from embodiment_bridge.nodes.bags.bag_playback import asked_of_a_body
from embodiment_bridge.protocols import registry

ASKED = asked_of_a_body(registry.inputs())
NODES = json.loads((Path(__file__).parents[2] / "docs/public.json").read_text())["nodes"]


def topics(place: str, key: str) -> set[str]:
    """The topics of a node, with the nodes beside it where ``place`` is the beginning of their names."""
    return {one.split()[0] for name, node in NODES.items() if name.startswith(place) for one in node[key]}


@pytest.mark.parametrize("place", [place for place in NODES if place.startswith("body:=")])
def test_what_body_and_tree_take_from_others_is_not_played(place):
    made_there = topics(place.partition(": ")[0] + ":", "publishes")
    taken = {
        topic for topic in topics(place, "subscribes") if "/_action/" not in topic and topic not in made_there
    }
    assert {topic for topic in taken if not ASKED.match(f"/robot{topic}")} == set()


def test_what_a_body_says_is_played():
    for topic in ("/joint_states", "/body_status", "/heard", "/robot/entities", "/tf"):
        assert not ASKED.match(topic)


def test_what_a_protocol_takes_is_not_played():
    assert asked_of_a_body(["chest_light"]).match("/robot/chest_light")
    assert not asked_of_a_body(()).match("/robot/chest_light")
