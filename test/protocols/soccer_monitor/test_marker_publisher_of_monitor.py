# SPDX-License-Identifier: Apache-2.0
"""What goes out on `markers`: all where much has moved, in the bytes of a message; else the messages of what moved."""

import pytest
from builtin_interfaces.msg import Time
from monitor_stage import BALL, nao, simspark, slt
from rclpy.serialization import deserialize_message, serialize_message
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.nodes.soccer import monitor_publishers
from embodiment_bridge.nodes.soccer.monitor_publishers import SceneMarkerPublisher
from embodiment_bridge.protocols.soccer_monitor.marker_messages import SceneMarkers
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel

GAME = "(FieldLength 30)(FieldWidth 20)(GoalWidth 2.1)(GoalDepth 0.6)(GoalHeight 0.8)(time 0)"


class Topic:
    """A node with one topic, which somebody hears."""

    def __init__(self):
        self.heard = []

    def create_publisher(self, *args, **kwargs):
        return self

    def get_subscription_count(self):
        return 1

    def publish(self, message):
        """Messages are filled in again later, so they are kept as a subscriber gets them."""
        markers = deserialize_message(message, MarkerArray) if isinstance(message, bytes) else message
        self.heard.append((isinstance(message, bytes), [copy_of(marker) for marker in markers.markers]))

    def drawn(self):
        """What was heard since the last call: whether any of it was bytes, and all markers by namespace and number."""
        heard, self.heard = self.heard, []
        return any(packed for packed, _ in heard), {(m.ns, m.id): m for _, some in heard for m in some}


def copy_of(marker):
    return deserialize_message(serialize_message(marker), Marker)


def robots(*places):
    return BALL + "".join(nao("Left", number, slt(x)) for number, x in enumerate(places, start=1))


def changes(*places):
    """A ball and robots that stay, but those with a place."""
    torsos = "".join(
        f"(nd(nd{'' if x is None else ' ' + slt(x)}(nd(nd StaticMesh)))(nd(nd StaticMesh)))" for x in places
    )
    return simspark(f"(nd(nd StaticMesh)){torsos}", "RDS")


@pytest.fixture
def topic(monkeypatch):
    monkeypatch.setattr(monitor_publishers, "FEW", 2)
    return Topic()


def test_what_is_drawn_is_where_it_is_in_either_way(topic):
    model = MonitorModel(can_ask=False)
    publisher = SceneMarkerPublisher(topic, model, "map", "")
    model.take(simspark(robots(1.0, 2.0, 3.0, 4.0), game=GAME))
    publisher.publish([], Time(sec=1))
    packed, first = topic.drawn()
    assert packed
    assert {ns for ns, _ in first} == {"", "field", "scene", *(f"player_left_{n}" for n in range(1, 5))}

    steps = {
        2: ((None, 5.0, None, None), False, 1),  # little has moved: it alone
        3: ((6.0, 7.0, 8.0, 9.0), True, 9),  # much: all
        4: ((None, None, float("nan"), None), False, 0),
        5: ((1.0, 2.0, None, 4.0), True, 8),  # one robot is nowhere
        6: ((2.0, 3.0, float("inf"), 5.0), True, 8),
        7: ((3.0, 4.0, 5.0, 6.0), True, 9),
    }  # fmt: skip
    for tenths, (places, is_packed, count) in steps.items():
        model.take(changes(*places))
        assert model.in_step
        stamp = Time(sec=1, nanosec=100_000_000 * tenths)
        publisher.publish([], stamp)
        packed, drawn = topic.drawn()
        assert (packed, len(drawn)) == (is_packed, count), tenths
        expected = SceneMarkers("map")
        expected.build(model.graph, model.objects)
        now = {(m.ns, m.id): m for m in expected.all(model.graph, stamp)}
        for key, marker in drawn.items():
            assert marker == copy_of(now[key])


def test_all_is_drawn_again_each_second(topic):
    model = MonitorModel(can_ask=False)
    publisher = SceneMarkerPublisher(topic, model, "map", "")
    model.take(simspark(robots(1.0, 2.0), game=GAME))
    publisher.publish([], Time(sec=1))
    _, first = topic.drawn()
    publisher.publish([], Time(sec=1, nanosec=500_000_000))
    assert topic.drawn() == (False, {})
    publisher.publish([], Time(sec=2))
    _, again = topic.drawn()
    assert again.keys() == first.keys() - {("", 0)}  # all but the one that clears the picture
