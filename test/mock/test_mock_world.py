# SPDX-License-Identifier: Apache-2.0
"""The world of the mock: what is in it, what stands in the way, and what is seen of it."""

import math
from math import hypot, pi, sqrt

import pytest
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from hypothesis import strategies as st
from mock_stage import BODY, ROOT

from embodiment_bridge.body.state_messages import battery_state
from embodiment_bridge.mock import ball, hardware, neighbour
from embodiment_bridge.mock.obstacles import Obstacle, is_free, pushed_out, reach, slide
from embodiment_bridge.mock.sight import Sight, sightings
from embodiment_bridge.mock.world import BASE_HEIGHT, LONGEST_S, WALLS, World
from embodiment_bridge.scene.sight import FieldOfView
from embodiment_bridge.urdf import read_urdf

REST = tuple(joint.rest for joint in BODY.joints)
INSIDE = 3.0, 4.0  # m, half of the floor along y and x
ANY = st.floats(allow_nan=True, allow_infinity=True)
WISH = st.one_of(st.floats(-3.0, 3.0), ANY)
# What somebody does for a while: (seconds, joint targets, forward, turn, whether the hand takes or drops the ball)
DEED = st.tuples(
    st.floats(0.0, 3.0), st.lists(WISH, min_size=len(REST), max_size=len(REST)), WISH, WISH, st.booleans()
)


def run(world: World, seconds: float, forward: float = 0.0, turn: float = 0.0, joints=REST) -> None:
    for _ in range(round(seconds / 0.02)):
        world.step(0.02, joints, forward, turn)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 99), st.lists(DEED, max_size=6))
def test_nothing_leaves_its_limits(seed, deeds) -> None:
    world = World(BODY, seed)
    for seconds, joints, forward, turn, use_hand in deeds:
        if use_hand:
            world.release_ball() if world.ball.held else world.ball.take()
        for _ in range(3):
            world.step(seconds / 3, joints, forward, turn)
            check(world)


def check(world: World) -> None:
    for joint, angle in zip(BODY.joints, world.servos.position, strict=True):
        assert joint.lower <= angle <= joint.upper
    speeds = zip(BODY.joints, world.servos.velocity, strict=True)
    assert all(abs(speed) <= joint.velocity + 1e-9 for joint, speed in speeds)
    robot = (world.base.x, world.base.y)
    assert is_free(robot, hardware.RADIUS, world.walls)
    assert abs(robot[0]) < INSIDE[1]
    assert abs(robot[1]) < INSIDE[0]
    assert is_free(robot, hardware.RADIUS, [world.neighbour.obstacle])
    if not world.ball.held:
        assert is_free((world.ball.x, world.ball.y), ball.RADIUS, world.walls)
        assert abs(world.ball.x) < INSIDE[1]
        assert abs(world.ball.y) < INSIDE[0]
        assert world.ball.z >= ball.RADIUS
    assert math.isfinite(sum(world.ball.place) + world.ball.speed)
    assert 0.0 <= world.battery.charge <= 1.0
    assert [thing.id for thing in sightings(world, "me")].count("ball") == 1


@given(st.integers(0, 2**31 - 1))
def test_every_world_begins_free(seed) -> None:
    world = World(BODY, seed)
    check(world)
    assert 0.8 <= world.distance(world.ball.x, world.ball.y) <= 1.4
    assert abs(world.bearing(world.ball.x, world.ball.y)) <= 0.5


def test_same_seed_same_world() -> None:
    def told(seed: int) -> tuple[object, ...]:
        world = World(BODY, seed)
        run(world, 60.0, 0.2, 0.3)
        return world.state, world.ball, tuple(world.take_heard()), world.neighbour.x

    assert told(3) == told(3)
    assert told(3) != told(4)


def test_step_sizes_do_not_matter_much() -> None:
    fine, coarse = World(BODY), World(BODY)
    run(fine, 4.0, 0.2, 0.5)
    for _ in range(8):
        coarse.step(0.5, REST, 0.2, 0.5)
    assert fine.base.x == pytest.approx(coarse.base.x, abs=1e-6)
    assert fine.time == pytest.approx(coarse.time)


@pytest.mark.fault("clock jump", body="mock", reaction="a second of it passes at most, and none backwards")
@pytest.mark.parametrize(("dt", "passed"), [(-1.0, 0.0), (math.nan, 0.0), (math.inf, 0.0), (5.0, LONGEST_S)])
def test_impossible_steps(dt, passed) -> None:
    world = World(BODY)
    world.step(dt, REST, 0.0, 0.0)
    assert world.time == pytest.approx(passed)


def test_joints_come_late_but_come() -> None:
    world = World(BODY)
    goal = (0.5, *REST[1:])
    run(world, 0.1, joints=goal)
    assert 0.2 < world.servos.position[0] < 0.49
    run(world, 0.5, joints=goal)
    assert world.servos.position[0] == pytest.approx(0.5, abs=1e-6)
    assert world.state.velocity[0] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("dt", [0.001, 0.0201, 0.033, 0.1])
def test_speed_of_a_joint_is_its_way_in_the_step(dt) -> None:
    world = World(BODY)
    before = world.servos.position[0]
    world.step(dt, (0.5, *REST[1:]), 0.0, 0.0)
    assert world.state.velocity[0] == pytest.approx((world.servos.position[0] - before) / dt)


def test_base_has_mass() -> None:
    world = World(BODY)
    world.step(0.02, REST, 1.0, 0.0)
    assert world.base.forward == pytest.approx(hardware.ACCELERATION * 0.02)
    assert world.acceleration[0] == pytest.approx(hardware.ACCELERATION)


def test_wall_stops_the_robot_and_slides_it_along() -> None:
    world = World(BODY)
    world.base.x, world.base.yaw = 3.0, 0.3
    run(world, 3.0, 1.0)
    assert world.base.x == pytest.approx(4.0 - hardware.RADIUS, abs=1e-5)
    assert world.base.y > 0.3
    world.base.yaw = 0.0
    run(world, 0.5, 1.0)
    assert abs(world.base.forward) < 1e-9


def test_ball_rolls_slower_and_stops() -> None:
    world = World(BODY)
    world.ball.x, world.ball.y = -2.0, 0.0
    world.kick_ball(1.0, 0.0)
    before = world.ball.x
    run(world, 4.0)
    assert world.ball.x - before == pytest.approx(1.0**2 / (2 * ball.SLOWING), abs=0.02)
    assert world.ball.speed == 0.0


def test_ball_bounces_off_a_wall() -> None:
    world = World(BODY)
    world.ball.x, world.ball.y = 3.0, 0.0
    world.ball.hit(3.0, 0.5)
    run(world, 0.5)
    assert world.ball.vx < -1.0
    assert world.ball.vy == pytest.approx(0.5, abs=0.2)


def test_robot_pushes_the_ball() -> None:
    world = World(BODY)
    world.ball.x, world.ball.y = 0.5, 0.0
    run(world, 3.0, 0.4)
    assert world.ball.x > 1.2
    assert world.distance(world.ball.x, world.ball.y) > hardware.RADIUS + ball.RADIUS - 1e-6


def test_ball_at_the_wall_stays_in_the_room_when_the_robot_comes() -> None:
    world = World(BODY)
    world.base.x, world.ball.x, world.ball.y = 3.0, 3.9, 0.05
    for _ in range(200):
        world.step(0.02, REST, 1.0, 0.0)
        check(world)


def test_hand_holds_and_drops_the_ball() -> None:
    world = World(BODY, hand=lambda positions: (0.3, -0.1, 0.2 + positions[0]))
    world.ball.take()
    run(world, 1.0, 0.3, 0.2, joints=(0.4, *REST[1:]))
    assert world.ball.place == pytest.approx(world.hand)
    assert world.ball.z == pytest.approx(BASE_HEIGHT + 0.6, abs=1e-3)
    world.release_ball()
    place = world.ball.x, world.ball.y
    world.step(0.1, REST, 0.0, 0.0)
    assert ball.RADIUS < world.ball.z < BASE_HEIGHT + 0.6
    run(world, 1.0)
    assert world.ball.z == ball.RADIUS
    assert (world.ball.x, world.ball.y) == pytest.approx(place, abs=0.2)


def test_ball_that_is_let_go_in_a_wall_stays_before_it() -> None:
    world = World(BODY, hand=lambda _: (0.5, 0.0, 0.0))
    world.base.x = 3.8
    world.ball.take()
    run(world, 0.02)
    assert world.ball.x > 4.2
    world.release_ball()
    check(world)


def test_neighbour_walks_round_waits_for_the_robot_and_goes_on() -> None:
    world = World(BODY)
    seen = set()
    for _ in range(80):
        run(world, 1.0)
        seen.add((round(world.neighbour.x), round(world.neighbour.y)))
    assert len(seen) > 8
    other = world.neighbour
    world.base.x, world.base.y = other.x + other.vx * 2, other.y + other.vy * 2  # 0.5 m before it
    place = other.x, other.y
    run(world, 10.0)
    assert math.dist(place, (other.x, other.y)) < 0.3
    assert other.vx == other.vy == 0.0
    world.base.x, world.base.y = 0.0, 0.0
    run(world, 4.0)
    assert math.dist(place, (other.x, other.y)) > 0.5


def test_neighbour_answers_and_talks_by_itself() -> None:
    world = World(BODY, seed=1)
    world.say("good morning")
    run(world, 0.9)
    assert world.take_heard() == []
    run(world, 0.2)
    (said,) = world.take_heard()
    assert (said.sender, said.text) == (neighbour.NAME, "you said: good morning")
    assert said.azimuth == pytest.approx(world.bearing(world.neighbour.x, world.neighbour.y), abs=0.2)
    run(world, 60.0)
    talk = world.take_heard()
    assert 2 <= len(talk) <= 6
    assert {one.text for one in talk} <= set(neighbour.REMARKS)


def test_what_nobody_takes_is_bounded() -> None:
    world = World(BODY)
    for _ in range(1000):
        world.say("hello")
    world.neighbour._silence = 1e9
    run(world, 2.0)
    assert len(world.take_heard()) == neighbour.WAITING


def test_battery_goes_down_slowly_and_faster_while_driving() -> None:
    cell = hardware.Battery()
    cell.step(0.0, 3600.0)
    at_rest = 1.0 - cell.charge
    cell.step(0.5, 60.0)
    assert at_rest == pytest.approx(0.25)
    assert 1.0 - at_rest - cell.charge == pytest.approx(7.0 / 60.0 / 4.0)
    cell.step(1.0, 1e9)
    assert (cell.charge, cell.voltage) == (0.0, hardware.EMPTY_V)
    battery = hardware.Battery(0.5, 2.0)
    message = battery_state(battery.voltage, battery.current, battery.charge, hardware.CAPACITY_AH, Time())
    assert (message.percentage, message.current) == (0.5, -2.0)
    assert message.voltage == pytest.approx(11.4)
    assert (message.charge, message.capacity) == (2.0, 4.0)


def test_entities_are_all_that_is_there() -> None:
    world = World(BODY)
    things = {thing.id: thing for thing in sightings(world, "mock")}
    assert set(things) == {"ball", "robin", "goal", *WALLS}
    assert (things["ball"].kind, things["ball"].size) == ("ball", (0.16, 0.16, 0.16))
    assert (things["robin"].kind, things["robin"].properties) == ("player", (("name", "robin"),))
    assert things["pillar"].kind == "wall"
    assert things["wall_north"].size == (9.0, 0.5, 0.5)
    world.ball.take()
    assert next(iter(sightings(world, "mock"))).properties == (("owner", "mock"),)


BOX = Obstacle(1.0, 0.0, 0.5, 2.0)
DISC = Obstacle(0.0, 0.0, round=0.5)
NUMBERS = st.floats(-3.0, 3.0)


@pytest.mark.parametrize(
    ("obstacle", "place", "depth", "out"),
    [
        (BOX, (0.4, 0.0), 0.1, (-1.0, 0.0)),
        (BOX, (0.2, 0.0), -0.1, (-1.0, 0.0)),
        (BOX, (1.0, 2.1), 0.1, (0.0, 1.0)),
        (BOX, (0.6, 0.0), 0.3, (-1.0, 0.0)),  # its middle is inside
        (BOX, (1.0, 1.9), 0.3, (0.0, 1.0)),
        (BOX, (0.4, 2.1), 0.2 - hypot(0.1, 0.1), (-sqrt(0.5), sqrt(0.5))),  # at the corner
        (DISC, (0.0, 0.6), 0.1, (0.0, 1.0)),
        (DISC, (0.0, 0.0), 0.7, (0.0, 1.0)),
    ],
)
def test_overlap(obstacle, place, depth, out) -> None:
    deep, way = obstacle.overlap(place, 0.2)
    assert deep == pytest.approx(depth)
    assert way == pytest.approx(out)


def test_pushed_out_touches_and_is_free() -> None:
    assert pushed_out((0.45, 0.3), 0.2, [BOX]) == pytest.approx((0.3, 0.3))
    assert is_free((0.3, 0.3), 0.2, [BOX])
    assert not is_free((0.31, 0.3), 0.2, [BOX])


def test_a_gap_that_is_too_narrow_is_not_entered() -> None:
    gap = [BOX, Obstacle(-0.4, 0.0, 0.5, 2.0)]  # 0.4 m wide
    assert slide((0.3, 2.5), (0.3, 2.05), 0.25, gap) == (0.3, 2.5)
    assert slide((0.3, 2.5), (0.3, 2.05), 0.2, gap) == pytest.approx((0.3, 2.05))


def test_reach_ends_before_the_obstacle() -> None:
    x, y = reach((0.0, 0.0), (3.0, 0.0), 0.2, [BOX])
    assert 0.27 < x <= 0.3
    assert y == 0.0
    assert reach((0.0, 0.0), (0.2, 0.1), 0.2, [BOX]) == pytest.approx((0.2, 0.1))
    assert reach((0.0, 0.0), (0.0, 0.0), 0.2, [BOX]) == (0.0, 0.0)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_from_a_free_place_a_disc_only_comes_to_free_places(x, y, to_x, to_y) -> None:
    obstacles = (BOX, DISC)
    if not is_free((x, y), 0.2, obstacles):
        return
    for move in (slide, reach):
        assert is_free(move((x, y), (to_x, to_y), 0.2, obstacles), 0.2, obstacles)


URDF = ROOT / "urdf/mock.urdf"
JOINTS = [joint.name for joint in BODY.joints]


def sight(view=FieldOfView(2.0944, 2.0944)) -> Sight:  # noqa: B008
    return Sight(read_urdf(URDF), JOINTS, "mock", view)


def visible(known) -> dict[str, bool]:
    return {one.sighting.id: one.visible for one in known}


def test_only_what_is_ahead_is_seen() -> None:
    seen = visible(sight().look(World(BODY), None))
    assert {"ball": True, "pillar": True, "wall_east": True}.items() <= seen.items()
    assert "wall_west" not in seen
    assert "robin" not in seen


def test_looking_away_for_long_the_ball_is_remembered() -> None:
    world, eyes = World(BODY), sight()
    eyes.look(world, None)
    world.base.yaw = pi
    for second in range(60):
        world.time = float(second)
        known = visible(eyes.look(world, None))
        assert known["ball"] is False
    assert known["wall_west"] is True


def test_a_ball_that_went_away_unseen_is_gone_when_its_place_is_seen() -> None:
    world, eyes = World(BODY), sight()
    eyes.look(world, None)
    world.base.yaw = pi
    eyes.look(world, None)
    world.ball.x = -3.0  # somebody carried it off
    world.base.yaw = 0.0
    looks = [visible(eyes.look(world, None)).get("ball") for _ in range(3)]
    assert looks == [False, False, None]


def test_the_ball_in_the_hand_is_felt() -> None:
    world, eyes = World(BODY), sight()
    world.ball.x, world.ball.y = -0.5, 0.0
    assert "ball" not in visible(eyes.look(world, None))
    world.ball.take()
    assert visible(eyes.look(world, None))["ball"] is True


def test_the_camera_turns_with_the_head() -> None:
    world, eyes = World(BODY), sight()
    world.servos.position[JOINTS.index("head_yaw")] = 1.5
    assert visible(eyes.look(world, None))["wall_north"] is True
    assert "pillar" not in visible(sight().look(world, None))


@pytest.mark.parametrize("description", [URDF, '<robot name="other"><link name="base_link"/></robot>'])
def test_all_round_it_sees_everything_also_without_a_camera(description) -> None:
    eyes = Sight(read_urdf(description), JOINTS, "mock", FieldOfView(100.0, 100.0))
    assert len(eyes.look(World(BODY), None)) == 8
