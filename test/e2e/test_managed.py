# SPDX-License-Identifier: Apache-2.0
"""The simulator in the node's own process: no server, no port, the same percepts, topics and skills."""

import math
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from embodiment_bridge.srv import PlaceThing
from geometry_msgs.msg import Point, Pose, Quaternion
from std_srvs.srv import Trigger

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import JointTargets
from embodiment_bridge.link.transports.tcp import TcpClient
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.commands import Frame, Init, Syn
from embodiment_bridge.protocols.rcsssmj.convert import BodyMap
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_robot import ManagedSimulation
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS

ROOT = Path(__file__).parents[2]
NOWHERE = SimpleNamespace(port=1, monitor_port=2)  # nobody listens there
UPRIGHT = 0.6  # m
ASIDE = Pose(position=Point(x=6.0, y=-3.0, z=0.67), orientation=Quaternion(x=0.0, y=0.0, z=0.0, w=1.0))
FIFA_SPAWN_Y = 37.0  # m
SPAWN_Y = 21.0  # m, where the server places robots of our number's row
CYCLES = 40


@pytest.fixture
def robot(robots):
    robot = robots(NOWHERE, transport="managed", realtime_factor=0.0)
    robot.join()
    robot.skill("stand", slot=1.0)
    robot.watcher.mark()
    return robot


def test_walks_and_stands(robot) -> None:
    result = robot.skill("walk", distance=1.0)
    assert (result.status, result.reason) == (result.SUCCEEDED, "")
    assert robot.watcher.distance == pytest.approx(1.0, abs=0.2)
    assert robot.watcher.z > UPRIGHT
    robot.until(lambda: robot.watcher.posture == "standing")


def test_plan_runs_and_nothing_is_refused(robot) -> None:
    assert robot.run('{"type": "body", "action": "HEAD_SHAKE"}').outcome == "SUCCEEDED"
    session = robot.agent._session
    assert session.status.peer == "managed://rcsssmj"
    counters = session.counters
    assert (counters.refused_commands, counters.last_error, counters.bytes_in) == (0, "", 0)
    assert counters.answer_times


def test_inactive_node_has_no_world_and_an_active_one_a_new_one(robot) -> None:
    robot.skill("walk", distance=0.5)
    watcher = robot.watcher
    assert abs(watcher.y - SPAWN_Y) > 0.3
    robot.agent.trigger_deactivate()
    robot.until(lambda: watcher.link == "closed")
    robot.runtime.executor.spin_once(timeout_sec=0.0)
    percepts = watcher.percepts
    robot.spin(0.3)
    assert watcher.percepts <= percepts + 5  # some were on their way
    robot.agent.trigger_activate()
    robot.until(lambda: watcher.link == "ready" and watcher.percepts > percepts + 50)
    assert abs(watcher.y - SPAWN_Y) < 0.1


def test_two_robots_share_a_world_that_is_changed_by_services(robots) -> None:
    shared = {"transport": "managed", "realtime_factor": 0.0, "world": "field", "rules": "fifa"}
    one = robots(NOWHERE, **shared)
    one.until(lambda: one.watcher.link == "ready" and one.watcher.placed)  # the first team plays on the left
    other = robots(NOWHERE, team="others", publish_clock=False, use_sim_time=False, **shared)
    other.until(lambda: other.watcher.link == "ready" and other.watcher.placed)
    assert one.watcher.x < 0.0 < other.watcher.x  # the sides of two teams in one game
    place = one.call(PlaceThing, "place_thing", name="player_others_2", pose=ASIDE)
    assert place.success, place.message
    one.until(lambda: math.dist((other.watcher.x, other.watcher.y), (6.0, -3.0)) < 0.3)
    assert other.call(Trigger, "reset").success
    one.until(lambda: math.dist((other.watcher.x, other.watcher.y), (5.0, FIFA_SPAWN_Y)) < 0.3)
    refused = one.call(PlaceThing, "place_thing", name="goal")
    assert (refused.success, "unknown thing" in refused.message) == (False, True)


@pytest.mark.parametrize("name", ["T1", "K1", "ant"])
def test_percepts_are_those_of_the_server(idle_server, name) -> None:
    """The same orders in both worlds: what comes back agrees to the digits that the server sends."""
    idle_server.options = ("--sequential", "--no-realtime")
    idle_server.start()
    remote = RemoteRobot(idle_server, name)
    try:
        simulation = ManagedSimulation()
        # First, as it takes long: the server waits 5 s for an answer.
        here = simulation.join(Init(name, "bridge", 2))
        pairs = [(remote.join(), here)]
        for cycle in range(CYCLES):
            frame = swing(name, cycle)
            simulation.apply(frame)
            pairs.append((remote.step(frame), simulation.step()))
    finally:
        idle_server.kill()
        remote.close()
    for number, (there, here) in enumerate(pairs):
        if number:  # the server's first accelerations come from garbage in the controls
            assert coarse(here) == pytest.approx(coarse(there), abs=0.011)
        assert fine(here) == pytest.approx(fine(there), abs=0.0011)
        assert here.joints.names == there.joints.names
    first_there, first_here = pairs[0]
    for there, here in pairs:
        passed = there.time_s - first_there.time_s
        assert here.time_s - first_here.time_s == pytest.approx(passed, abs=0.011)


class RemoteRobot:
    """One robot on a server, percept by percept.

    The monitor port tells when the world exists. It stays open: a server that is about to write to a monitor that
    closes may end (rcssservermj 0.2.1), here in one of ten tries. So what comes there has to be read.
    """

    def __init__(self, server, name: str) -> None:
        self.codec = Codec(name, "0.2.1")
        self.monitor = TcpClient("127.0.0.1", server.monitor_port)
        patiently(lambda: self.monitor.read(1.0) or None)
        self.link = TcpClient("127.0.0.1", server.port)
        self.name = name

    def join(self) -> Percept:
        return self.say(Init(self.name, "bridge", 2))

    def step(self, frame: Frame) -> Percept:
        return self.say(frame)

    def say(self, command) -> Percept:
        self.link.write(self.codec.encode(command))
        return patiently(self.percept)

    def percept(self) -> Percept | None:
        self.monitor.read(0.0)
        events = self.codec.feed(self.link.read(0.001))
        return next((event for event in events if isinstance(event, Percept)), None)

    def close(self) -> None:
        self.link.close()
        self.monitor.close()


def patiently(attempt):
    """What ``attempt`` gives as soon as it gives something."""
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline:
        if (found := attempt()) is not None:
            return found
    raise AssertionError("nothing came in 30 s")


def swing(name: str, cycle: int) -> Frame:
    """All joints a little to and fro within their ranges, in numbers that the wire does not round."""
    body = read_body(ROOT / f"config/bodies/{name.lower()}.yaml")
    share = 0.5 + 0.2 * ((cycle % 20) / 10 - 1)
    motors = BodyMap(ROBOTS[name], body).motors(
        JointTargets(
            position=tuple(joint.lower + share * (joint.upper - joint.lower) for joint in body.joints),
            velocity=(0.0,) * len(body.joints),
            kp=tuple(joint.kp / 3 for joint in body.joints),
            kd=tuple(joint.kd for joint in body.joints),
            effort=(0.0,) * len(body.joints),
        )
    )
    rounded = (
        replace(m, q_deg=round(m.q_deg, 2), kp=float(f"{m.kp:.3g}"), kd=float(f"{m.kd:.3g}")) for m in motors
    )
    return Frame((*rounded, Syn()))


def coarse(percept: Percept) -> list[float]:
    """What the server cuts after two digits."""
    gyro, acceleration = percept.gyros[0], percept.accelerometers[0]
    return [
        *percept.joints.positions_deg,
        *percept.joints.velocities_deg_s,
        *(gyro.x_deg_s, gyro.y_deg_s, gyro.z_deg_s),
        *(acceleration.x_m_s2, acceleration.y_m_s2, acceleration.z_m_s2),
    ]


def fine(percept: Percept) -> list[float]:
    """What it cuts after three."""
    place, turn = percept.positions[0], percept.orientations[0]
    return [place.x_m, place.y_m, place.z_m, turn.w, turn.x, turn.y, turn.z]
