# SPDX-License-Identifier: Apache-2.0
"""The simulator as a library: what it gives and takes, without ROS; and as a link of a session."""

import math
import sys
import threading
import time
from pathlib import Path

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
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed import CYCLE, ManagedSimulation
from embodiment_bridge.protocols.rcsssmj.managed_link import ManagedLink, make_opener
from embodiment_bridge.protocols.rcsssmj.managed_robot import ManagedRobot
from embodiment_bridge.wire.events import Unknown
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
        text = "".join(p.to_sexp() for p in simulation._agent.perceptions)
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
    assert simulation._waiting == []


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
    with pytest.raises(ConfigError, match=r"the joints of no robot \(there are T1, K1, ant\)"):
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
