# SPDX-License-Identifier: Apache-2.0
"""The simulator as a library: what it gives and takes, without ROS; and as a link of a session."""

import math
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body.agent_bridge import _managed
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.commands import Beam, Frame, Init, Motor, Say, Syn
from embodiment_bridge.protocols.rcsssmj.convert import BodyMap, robot_of
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_link import ManagedLink, make_opener
from embodiment_bridge.protocols.rcsssmj.managed_robot import CYCLE, ManagedRobot, ManagedSimulation
from embodiment_bridge.wire.codec import Unknown
from embodiment_bridge.wire.framing import frame

pytest.importorskip("rcsssmj")

BODIES = Path(__file__).parents[3] / "config/bodies"
INIT = Init("T1", "bridge", 2)
HEAD = Motor("he1", 20.0, 0.0, 20.0, 1.0, 0.0)


@pytest.fixture
def simulation(tmp_path, monkeypatch) -> ManagedSimulation:
    monkeypatch.chdir(tmp_path)
    return ManagedSimulation()


class Moved:
    """A robot of the managed simulation, and the runner that moves it."""

    def __init__(self, name: str) -> None:
        self.robot = ManagedRobot(read_body(BODIES / f"{name}.yaml"))
        self.runner = MotionRunner(self.robot.body)
        self.lowest = math.inf
        self.run(3.0)
        self.lowest = self.robot.state.base_position[2]

    def cycle(self) -> None:
        state = self.robot.step(self.runner.step(self.robot.state, CYCLE))
        self.lowest = min(self.lowest, state.base_position[2])

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / CYCLE)):
            self.cycle()

    def do(self, name: str, **parameters: float) -> SkillReport:
        self.runner.take_reports()
        self.runner.start(SkillRequest(name, name, parameters))
        while True:
            self.cycle()
            for report in self.runner.take_reports():
                if report.status.ended:
                    return report


@pytest.mark.parametrize(("name", "upright"), [("t1", 0.6), ("k1", 0.5)])
def test_walks_as_fast_as_it_can(name, upright) -> None:
    moved = Moved(name)
    x, y, _ = moved.robot.state.base_position
    assert moved.do("walk", distance=1.5).status is SkillStatus.SUCCEEDED
    there_x, there_y, _ = moved.robot.state.base_position
    assert math.hypot(there_x - x, there_y - y) == pytest.approx(1.5, abs=0.2)
    assert moved.lowest > upright


@pytest.mark.parametrize("model", ["T1", "K1", "ant"])
def test_percepts_are_what_the_wire_would_have_said(simulation, model) -> None:
    percept = simulation.join(Init(model, "bridge", 2))
    for _ in range(4):
        text = "".join(p.to_sexp() for p in simulation._player._agent.perceptions)
        (read,) = Codec(model, "0.2.1").feed(frame(text.encode()))
        assert percept == read
        percept = simulation.step()
    assert isinstance(percept, Percept)


def test_commands_show_in_the_next_percept(simulation) -> None:
    simulation.join(INIT)
    simulation.apply(Frame((HEAD, Syn())))
    percept = simulation.step()
    assert percept.joints.velocities_deg_s[percept.joints.names.index("q_hj1")] > 10.0


def test_joints_are_limp_until_told(simulation) -> None:
    simulation.join(INIT)
    percept = [simulation.step() for _ in range(3)][-1]
    assert max(map(abs, percept.joints.positions_deg)) < 1.0


def test_beam_and_say_are_taken(simulation) -> None:
    simulation.join(INIT)
    simulation.apply(Beam(3.0, 1.0, 90.0))
    simulation.apply(Say(100.0, "hello"))
    percept = simulation.step()
    place, turn = percept.positions[0], percept.orientations[0]
    assert (place.x_m, place.y_m) == pytest.approx((-3.0, 1.0), abs=0.01)
    assert (turn.w, turn.z) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)), abs=0.01)
    assert [microphone.heard for microphone in percept.microphones] == [()]  # one's own message is not heard


def test_what_a_player_cannot_do_is_done_with_the_simulation_itself(simulation) -> None:
    simulation.join(INIT)
    simulation.simulation.request_kick_off(0)
    assert simulation.step().game_state.play_mode == "KickOff_Left"


def test_joining_leaves_no_log_file(simulation, capfd) -> None:
    simulation.join(INIT)
    assert not list(Path.cwd().iterdir())
    assert "WARNING" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (Motor("te9", 0, 0, 0, 0, 0), "unknown motor of robot T1 'te9'"),
        (Motor("he1", math.nan, 0, 0, 0, 0), "Motor.q_deg is nan"),
        (Frame((HEAD, HEAD)), "a second he1"),
        (Say(100.0, "far too long a text"), "it must have 1 to 10"),
        (Unknown(0, b"(syn)"), "unknown command 'Unknown'"),
        (INIT, "unknown command 'Init'"),
    ],
)
def test_what_the_server_would_not_survive_is_refused(simulation, command, text) -> None:
    simulation.join(INIT)
    with pytest.raises(CommandError, match=text):
        simulation.apply(command)
    assert simulation._player._waiting == []


def test_action_that_only_the_server_has_is_refused_with_its_frame(simulation, monkeypatch) -> None:
    @dataclass(frozen=True)
    class Wave:
        count: int

    simulation.join(INIT)
    monkeypatch.setattr(simulation._player, "_writer", SimpleNamespace(payload=lambda command: b""))
    with pytest.raises(CommandError, match="Wave: a world in this process has no such action"):
        simulation.apply(Frame((HEAD, Wave(3))))
    assert simulation._player._waiting == []


def test_wrong_order_is_refused(simulation) -> None:
    with pytest.raises(CommandError, match="no robot has joined"):
        simulation.apply(HEAD)
    with pytest.raises(CommandError, match="no robot has joined"):
        simulation.step()
    with pytest.raises(CommandError, match="unknown robot 'T2'"):
        simulation.join(Init("T2", "bridge", 2))
    simulation.join(INIT)
    with pytest.raises(CommandError, match="has joined"):
        simulation.join(INIT)


def test_rules_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ConfigError, match="unknown rules 'rugby'"):
        ManagedSimulation("rugby")


def test_body_of_no_robot_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"the joints of no robot \(there are T1, K1, PiPlus, ant\)"):
        ManagedRobot(parse_body("body: small\nchannels: []\nskills: {}\n", "small.yaml"))


def test_missing_package_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rcsssmj.games.soccer.sim.soccer_sim", None)
    with pytest.raises(ConfigError, match="pip install rcsssmj"):
        make_opener({"realtime_factor": 1.0})


def test_protocol_without_a_simulation_is_refused() -> None:
    with pytest.raises(ConfigError, match="protocol 'dummy' has no such simulation"):
        _managed(registry.spec("dummy"), {})


class TestLink:
    """The link, at full speed unless a test says otherwise."""

    @pytest.fixture
    def counters(self) -> Counters:
        return Counters()

    def link(self, counters: Counters, factor: float = 0.0) -> ManagedLink:
        return make_opener({"realtime_factor": factor})(counters, time.perf_counter)

    def test_nothing_comes_before_init(self, counters) -> None:
        link = self.link(counters)
        assert link.read(0.01) == []
        assert link.write([INIT])
        assert len(link.read(1.0)) == 1

    def test_each_read_is_a_cycle(self, counters) -> None:
        link = self.link(counters)
        link.write([INIT])
        times = [percept.time_s for _ in range(5) for percept in link.read(1.0)]
        assert times[-1] - times[0] == pytest.approx(4 * CYCLE, abs=0.011)

    def test_refused_command_is_counted_and_the_others_are_taken(self, counters) -> None:
        link = self.link(counters)
        link.write([INIT])
        assert link.write([Motor("te9", 0, 0, 0, 0, 0), Frame((HEAD, Syn()))])
        assert not link.write([Motor("te9", 0, 0, 0, 0, 0)])
        assert counters.refused_commands == 2
        assert "te9" in counters.last_error
        link.read(1.0)
        (percept,) = link.read(1.0)
        assert percept.joints.velocities_deg_s[percept.joints.names.index("q_hj1")] > 10.0

    @pytest.mark.parametrize(("factor", "seconds"), [(1.0, 0.4), (4.0, 0.1)])
    def test_time_passes_no_faster_than_told(self, counters, factor, seconds) -> None:
        link = self.link(counters, factor)
        link.write([INIT])
        link.read(1.0)
        begun = time.perf_counter()
        for _ in range(20):
            assert link.read(1.0)
        assert time.perf_counter() - begun > 0.9 * seconds  # a busy machine may only make it longer

    def test_wait_ends_at_its_timeout(self, counters) -> None:
        link = self.link(counters, factor=0.01)
        link.write([INIT])
        assert link.read(0.01)
        assert link.read(0.01) == []

    def test_close_wakes_a_reader(self, counters) -> None:
        link = self.link(counters)
        threading.Timer(0.05, link.close).start()
        with pytest.raises(LinkError, match="closed"):
            link.read(10.0)


def test_reset_puts_the_robot_back_in_the_same_world(simulation) -> None:
    with pytest.raises(CommandError, match="no robot has joined"):
        simulation.reset()
    robot = ManagedRobot(read_body(BODIES / "t1.yaml"), simulation=simulation)
    begun, model = robot.state, simulation.simulation.mj_model
    runner = MotionRunner(robot.body)
    for _ in range(50):
        robot.step(runner.step(robot.state, CYCLE))
    assert robot.state.position != begun.position
    again = robot.reset()
    assert again.position == begun.position
    assert again.base_position == pytest.approx(begun.base_position, abs=0.01)
    assert again.time > begun.time
    assert simulation.simulation.mj_model is model


@pytest.mark.parametrize("name", ["t1", "ant"])  # an ant has gears
def test_arrays_set_and_say_what_actions_and_perceptions_do(simulation, name) -> None:
    robot = ManagedRobot(read_body(BODIES / f"{name}.yaml"), simulation=simulation)
    runner, parts = MotionRunner(robot.body), BodyMap(robot_of(robot.body), robot.body)
    world = simulation.simulation
    for _ in range(20):
        targets = runner.step(robot.state, CYCLE)
        state = robot.step(targets)
        assert state == parts.state(robot.percept)
    arrays = (world.mj_data.ctrl, world.mj_model.actuator_gainprm, world.mj_model.actuator_biasprm)
    ours = [np.array(array) for array in arrays]
    other = replace(targets, position=tuple(q + 0.1 for q in targets.position), kp=(3.0,) * len(targets.kp))
    robot.step(other)
    assert all(np.abs(mine - array).max() > 1e-6 for mine, array in zip(ours, arrays, strict=True))
    simulation.apply(Frame((*parts.motors(targets), Syn())))
    simulation.step()
    for mine, array in zip(ours, arrays, strict=True):
        assert mine == pytest.approx(array, rel=1e-12)


def test_robot_without_a_referee(simulation) -> None:
    robot = ManagedRobot(read_body(BODIES / "ant.yaml"), simulation=simulation, referee=False)
    first = robot.state
    targets = MotionRunner(robot.body).step(first, CYCLE)
    for _ in range(10):
        robot.step(targets)
    assert robot.state.time == pytest.approx(first.time + 10 * CYCLE)
    assert robot.percept.time_s == robot.state.time
    robot.step(targets, Beam(-3.0, 1.0, 0.0))
    assert robot.state.base_position[:2] == pytest.approx((-3.0, 1.0), abs=0.05)
    with pytest.raises(CommandError, match="nan"):
        robot.step(replace(targets, position=(math.nan, *targets.position[1:])))
    assert robot.reset().base_position == pytest.approx(first.base_position, abs=0.02)


def test_robot_senses_anew_where_somebody_put_it(simulation) -> None:
    robot = ManagedRobot(read_body(BODIES / "ant.yaml"), simulation=simulation, referee=False)
    assert robot.percept.positions[0].x_m == robot.state.base_position[0]
    simulation.world.place_player("bridge", 2, (1.5, -2.0, 0.7))
    assert robot.state.base_position[:2] != (1.5, -2.0)
    assert robot.sense() == robot.state
    assert robot.state.base_position == (1.5, -2.0, 0.7)
    place = robot.percept.positions[0]
    assert (place.x_m, place.y_m, place.z_m) == (1.5, -2.0, 0.7)
