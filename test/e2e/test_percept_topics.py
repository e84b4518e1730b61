# SPDX-License-Identifier: Apache-2.0
"""What a T1 on the real server sees and knows, on the topics of its node."""

import math
from itertools import pairwise
from statistics import mode

from embodiment_bridge.msg import EntityArray, GameState, Vision
from sensor_msgs.msg import JointState
from visualization_msgs.msg import Marker, MarkerArray

CORNERS = {
    "landmark_l_luf": (-27.5, 18.0, 0.0),
    "landmark_l_llf": (-27.5, -18.0, 0.0),
    "landmark_l_ruf": (27.5, 18.0, 0.0),
    "landmark_l_rlf": (27.5, -18.0, 0.0),
    "landmark_g_rup": (27.5, 1.83, 1.83),
    "ball": (0.0, 0.0, 0.11),
}


def place(entity):
    return entity.pose.position.x, entity.pose.position.y, entity.pose.position.z


def moments(heard):
    """The stamps of what was heard, ns."""
    return [message.header.stamp.sec * 10**9 + message.header.stamp.nanosec for message in heard]


def usual_gap(moments):
    return mode(b - a for a, b in pairwise(moments))


def test_landmarks_stand_still_while_the_head_shakes(server, robots) -> None:
    robot = robots(server)
    robot.join()
    entities, vision = (
        robot.collect(EntityArray, "entities", "events"),
        robot.collect(Vision, "vision", "events"),
    )
    joints = robot.collect(JointState, "joint_states", "events")
    game, markers = (
        robot.collect(GameState, "game_state", "latched"),
        robot.collect(MarkerArray, "markers", "state"),
    )
    result = robot.skill("head_shake")
    assert (result.status, result.reason) == (result.SUCCEEDED, "")
    robot.until(lambda: len(markers) > 3 and len(entities) > 20 and bool(game))

    yaws = [message.position[message.name.index("AAHead_yaw")] for message in joints]
    assert max(yaws) - min(yaws) > 0.5  # rad: so the camera was turned
    errors = [
        math.dist(place(entity), CORNERS[entity.id])
        for message in entities
        for entity in message.entities
        if entity.visible and entity.id in CORNERS
    ]
    assert len(errors) > 50
    assert max(errors) < 0.15  # m, at up to 50 m
    assert any(not e.visible for m in entities for e in m.entities)  # it looked away and remembers

    # The newest message of a sensor is what counts: on a busy machine older ones are dropped, of each topic others.
    pictures, estimates = moments(vision), moments(entities)
    assert len(set(pictures) & set(estimates)) > 10  # an estimate has the moment of its picture
    assert usual_gap(pictures) == 2 * usual_gap(moments(joints))
    assert game[0].play_mode == "BeforeKickOff"
    assert game[0].team_left == "bridge"
    drawn = markers[-1].markers
    assert {"ball", "landmark", "landmark_name", "vision"} <= {marker.ns for marker in drawn}
    assert {marker.header.frame_id for marker in drawn if marker.action == Marker.ADD} == {
        "map",
        "camera_link",
    }
