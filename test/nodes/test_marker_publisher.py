# SPDX-License-Identifier: Apache-2.0
"""When markers are drawn, and of what."""

import pytest
from builtin_interfaces.msg import Time
from embodiment_bridge.msg import Entity, EntityArray, TouchState, TouchStates
from rclpy.node import Node
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray
from waiting import spin_until

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.body_publishers import MarkerPublisher
from embodiment_bridge.scene.markers import Light


def stamp(seconds):
    return Time(sec=int(seconds), nanosec=round(seconds % 1.0 * 1e9))


class Drawing:
    """A publisher, and a viewer that may look."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.node = runtime.add(Node("draws", context=runtime.context))
        self.viewer = runtime.add(Node("looks", context=runtime.context))
        self.publisher = MarkerPublisher(self.node, "r1/")
        self.seen = []
        self.subscription = None

    def look(self):
        self.subscription = self.viewer.create_subscription(
            MarkerArray, "markers", self.seen.append, profile("state")
        )
        spin_until(self.runtime, lambda: self.publisher.wanted)

    def look_away(self):
        self.viewer.destroy_subscription(self.subscription)
        spin_until(self.runtime, lambda: not self.publisher.wanted)

    def draw(self, seconds, *names):
        """Publish at a time at which these entities are there; the markers that come, by namespace."""
        at = stamp(seconds)
        entities = [Entity(id=name, kind="ball") for name in names]
        header = Header(stamp=at, frame_id="r1/map")
        self.publisher.update("entities", EntityArray(header=header, entities=entities))
        self.publisher.publish(at)

    def next(self):
        spin_until(self.runtime, lambda: bool(self.seen))
        return self.seen.pop(0).markers


@pytest.fixture
def stage():
    with Runtime() as runtime:
        yield Drawing(runtime)


def actions(markers):
    return [marker.action for marker in markers]


def test_drawn_while_somebody_looks(stage):
    stage.draw(1.0, "a")
    stage.look()
    stage.draw(2.0, "a", "b")
    assert actions(stage.next()) == [Marker.ADD] * 2
    stage.draw(3.0, "b")
    assert sorted(actions(stage.next())) == [Marker.ADD, Marker.DELETE]
    stage.look_away()
    stage.draw(4.0, "a")
    stage.look()
    stage.draw(5.0, "c")  # nothing is known of what the new viewer has drawn: its lifetimes clear it
    assert actions(stage.next()) == [Marker.ADD]
    assert not stage.seen


def test_not_more_often_than_eyes_see_and_also_when_time_goes_back(stage):
    stage.look()
    for milliseconds in range(0, 400, 20):
        stage.draw(5.0 + milliseconds / 1000, "a")
    stage.draw(1.0, "b")
    spin_until(stage.runtime, lambda: len(stage.seen) == 5)
    times = [
        round(m.markers[-1].header.stamp.sec + m.markers[-1].header.stamp.nanosec * 1e-9, 2)
        for m in stage.seen
    ]
    assert times == [5.0, 5.1, 5.2, 5.3, 1.0]


def test_old_messages_and_other_topics_are_not_drawn(stage):
    stage.look()
    stage.draw(5.0, "a")
    stage.next()
    touch = TouchStates(header=Header(stamp=stamp(6.5)), sensors=[TouchState(name="lf", touched=True)])
    stage.publisher.update("touch", touch)
    stage.publisher.update("pose", object())
    stage.publisher.publish(stamp(6.5))
    assert [(m.ns, m.action) for m in stage.next()] == [("ball", Marker.DELETE), ("touch", Marker.ADD)]


def test_lights_are_drawn_over_the_base(stage):
    stage.look()
    stage.publisher.show({"eyes": Light(1.0, 0.0, 0.0, 1.0, "steady")})
    stage.publisher.publish(stamp(1.0))
    lamp, label = stage.next()
    assert (lamp.ns, lamp.header.frame_id) == ("light", "r1/base_link")
    assert label.text == "eyes"
    stage.publisher.show({})
    stage.publisher.publish(stamp(2.0))
    assert actions(stage.next()) == [Marker.DELETE, Marker.DELETE]
