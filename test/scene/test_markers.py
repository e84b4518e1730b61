# SPDX-License-Identifier: Apache-2.0
"""What viewers draw."""

import math

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from embodiment_bridge.msg import (
    AgentDetection,
    Entity,
    EntityArray,
    LineDetection,
    PointDetection,
    TouchState,
    TouchStates,
    Vision,
)
from geometry_msgs.msg import Point, Pose, Vector3
from rclpy.serialization import serialize_message
from std_msgs.msg import Header
from visualization_msgs.msg import Marker

from embodiment_bridge.scene.markers import DARK, REMEMBERED, Light, Scene, draw

STAMP = Time(sec=7, nanosec=100_000_000)
BASE = "r1/base_link"


def entity(id_, kind, place=(1.0, 2.0, 0.5), size=(0.0, 0.0, 0.0), visible=True, **properties):
    return Entity(
        id=id_,
        kind=kind,
        pose=Pose(position=Point(x=place[0], y=place[1], z=place[2])),
        size=Vector3(x=size[0], y=size[1], z=size[2]),
        visible=visible,
        properties=[KeyValue(key=key, value=value) for key, value in properties.items()],
    )


def world(*entities):
    header = Header(stamp=STAMP, frame_id="r1/map")
    return Scene(STAMP, BASE, entities=EntityArray(header=header, entities=list(entities)))


def picture(*points, agents=()):
    header = Header(stamp=STAMP, frame_id="r1/camera_link")
    return Scene(STAMP, BASE, vision=Vision(header=header, points=list(points), agents=list(agents)))


def touched(**sensors):
    states = [TouchState(name=name, touched=value) for name, value in sensors.items()]
    return Scene(STAMP, BASE, touch=TouchStates(header=Header(stamp=STAMP), sensors=states))


def markers(scene):
    message, keys = draw(scene)
    assert {(m.ns, m.id) for m in message.markers} == keys
    assert len(keys) == len(message.markers)
    for marker in message.markers:
        assert marker.action == Marker.ADD
        assert (marker.lifetime.sec, marker.lifetime.nanosec) == (1, 0)
        assert marker.header.stamp == STAMP
    serialize_message(message)
    return message.markers


def place(marker):
    return marker.pose.position.x, marker.pose.position.y, marker.pose.position.z


def scale(marker):
    return marker.scale.x, marker.scale.y, marker.scale.z


def color(marker):
    return marker.color.r, marker.color.g, marker.color.b, marker.color.a


def test_nothing_is_drawn_of_nothing():
    assert markers(Scene(STAMP, BASE)) == []
    assert markers(world()) == []
    assert markers(picture()) == []  # a list of no lines is an error for viewers
    assert markers(touched(lf=False)) == []


@pytest.mark.parametrize(
    ("kind", "shape", "size"),
    [
        ("ball", Marker.SPHERE, (0.22, 0.22, 0.22)),
        ("player", Marker.CYLINDER, (0.4, 0.4, 1.0)),
        ("landmark", Marker.CUBE, (0.15, 0.15, 0.15)),
        ("food", Marker.CUBE, (0.3, 0.3, 0.3)),
    ],
)
def test_each_kind_has_its_shape(kind, shape, size):
    marker = markers(world(entity("x", kind)))[0]
    assert (marker.ns, marker.type, marker.header.frame_id) == (kind, shape, "r1/map")
    assert place(marker) == (1.0, 2.0, 0.5)
    assert scale(marker) == size
    assert marker.pose.orientation.w == 1.0


def test_own_size_counts_where_it_is_known():
    marker = markers(world(entity("x", "player", size=(0.5, 0.0, 1.2))))[0]
    assert scale(marker) == (0.5, 0.4, 1.2)
    assert scale(markers(world(entity("x", "ball", size=(math.nan, -1.0, 0.1))))[0]) == (0.22, 0.22, 0.1)


def test_names_stand_above():
    scene = world(
        entity("ball", "ball"),
        entity("landmark_l_luf", "landmark", name="l_luf"),
        entity("player_them_7", "player", size=(0.3, 0.3, 1.2), team="them", number="7"),
        entity("key_3", "key"),
    )
    texts = [m for m in markers(scene) if m.type == Marker.TEXT_VIEW_FACING]
    assert [(m.ns, m.text) for m in texts] == [
        ("landmark_name", "l_luf"),
        ("player_name", "them 7"),
        ("key_name", "key_3"),
    ]
    assert place(texts[1]) == pytest.approx((1.0, 2.0, 0.5 + 0.6 + 0.2))
    assert all(m.scale.z == 0.2 and m.header.frame_id == "r1/map" for m in texts)


def test_what_is_remembered_is_faint():
    bright, _ = markers(world(entity("a", "landmark")))
    faint, faint_name = markers(world(entity("a", "landmark", visible=False)))
    assert color(faint) == (*color(bright)[:3], pytest.approx(color(bright)[3] * REMEMBERED))
    assert faint_name.color.a < 0.5


def test_teams_have_colours_of_their_own_always_the_same():
    scene = world(*(entity(f"{t}{n}", "player", team=t, number=n) for t in ("us", "them") for n in "12"))
    us1, us2, them1, them2 = (color(m) for m in markers(scene) if m.type == Marker.CYLINDER)
    assert us1 == us2 != them1 == them2
    assert all(0.0 <= value <= 1.0 for value in us1 + them1)


def test_lines_of_the_floor_are_drawn_where_they_are_seen():
    scene = picture()
    scene.vision.lines = [LineDetection(start=Point(x=1.0), end=Point(x=2.0, y=1.0))]
    (lines,) = markers(scene)
    assert (lines.ns, lines.type, lines.header.frame_id) == ("vision", Marker.LINE_LIST, "r1/camera_link")
    assert [(p.x, p.y, p.z) for p in lines.points] == [(1.0, 0.0, 0.0), (2.0, 1.0, 0.0)]


def test_rays_go_from_the_camera_to_all_that_it_sees():
    head = PointDetection(name="head", position=Point(x=3.0, y=-1.0, z=0.2))
    scene = picture(
        PointDetection(name="B", position=Point(x=1.0, y=2.0, z=-0.5)),
        agents=[AgentDetection(team="them", number=7, parts=[head])],
    )
    (rays,) = markers(scene)
    assert (rays.ns, rays.type, rays.header.frame_id) == ("vision", Marker.LINE_LIST, "r1/camera_link")
    ends = [(p.x, p.y, p.z) for p in rays.points]
    assert ends == [(0.0, 0.0, 0.0), (1.0, 2.0, -0.5), (0.0, 0.0, 0.0), (3.0, -1.0, 0.2)]
    assert rays.scale.x > 0.0


def test_touch_names_what_touches():
    (text,) = markers(touched(lf=True, bumper=False, rf=True))
    assert (text.ns, text.text, text.header.frame_id) == ("touch", "touch: lf, rf", BASE)


@pytest.mark.parametrize(
    ("pattern", "nanosec", "alpha"),
    [
        ("steady", 0, 0.8),
        ("open", 0, 0.8),
        ("blink", 0, 0.8),
        ("blink", 249_999_999, 0.8),
        ("blink", 250_000_000, DARK),
        ("blink", 500_000_000, 0.8),
        ("close", 0, DARK),
        ("off", 0, DARK),
        ("never heard of", 0, DARK),
    ],
)
def test_a_light_is_a_lamp_over_the_body(pattern, nanosec, alpha):
    scene = Scene(Time(sec=7, nanosec=nanosec), BASE, lights={"eyes": Light(1.0, 0.5, 0.0, 0.8, pattern)})
    lamp, label = draw(scene)[0].markers
    assert (lamp.ns, lamp.type, lamp.header.frame_id) == ("light", Marker.SPHERE, BASE)
    assert color(lamp) == (1.0, 0.5, 0.0, alpha)
    assert (label.type, label.text) == (Marker.TEXT_VIEW_FACING, "eyes")
    assert label.pose.position.z == lamp.pose.position.z


def test_lights_do_not_hide_each_other():
    light = Light(1.0, 1.0, 1.0, 1.0, "steady")
    scene = Scene(STAMP, BASE, lights={"eyes": light, "chest": light})
    a, _, b, _ = markers(scene)
    assert abs(a.pose.position.z - b.pose.position.z) >= a.scale.z


def test_what_vanished_is_deleted_once():
    first, keys = draw(world(entity("a", "landmark"), entity("b", "landmark")))
    second, keys = draw(world(entity("b", "landmark")), keys)
    deleted = {(m.ns, m.id) for m in second.markers if m.action == Marker.DELETE}
    kept = {(m.ns, m.id) for m in second.markers if m.action == Marker.ADD}
    assert deleted | kept == {(m.ns, m.id) for m in first.markers}
    assert len(deleted) == len(kept) == 2  # a cube and its name each
    assert kept == keys
    third, _ = draw(world(entity("b", "landmark")), keys)
    assert all(m.action == Marker.ADD for m in third.markers)


def test_the_same_thing_keeps_its_number_wherever_it_stands_in_the_list():
    a, b = entity("a", "landmark"), entity("b", "landmark")
    assert draw(world(a, b))[1] == draw(world(b, a))[1]
