# SPDX-License-Identifier: Apache-2.0
"""Two teams play with the documents of config/bml/team in the simulator's own world; run by its name only.

Simulator, motion and documents run in this process, without ROS, commands one cycle late; truth is the simulation's.
TEAM_PLAYERS=7 is for teams of 7 (default 3), TEAM_HALVES=2 for so many halves of 5 minutes, TEAM_BODY=k1, or the path
of a body file, for other robots than the T1, TEAM_SEED for another game, TEAM_TRACE=1 to see how it goes.
"""

import math
import os
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rows import row

from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports, SkillPort
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.tree.values.team_feed import Game, Seen, TeamValues
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.commands import Init
from embodiment_bridge.protocols.rcsssmj.convert import robot_of
from embodiment_bridge.protocols.rcsssmj.converter import RobotConverter
from embodiment_bridge.protocols.rcsssmj.managed_world import CYCLE, ManagedPlayer, ManagedWorld, part

HERE = Path(__file__).resolve().parent.parent
DOCUMENTS = HERE / "config/bml/team"
TEAMS = ("left", "right")
TICK = 5  # cycles between two ticks of a document
BEFORE_S = 6.0  # from the first percept to the kick-off
HALF_S = 300.0
TRACE = bool(os.environ.get("TEAM_TRACE"))
LOST_M = 45.0  # from the middle of the field: a robot that is further away is lost


@dataclass
class Stamp:
    """When a message was made."""

    sec: int = 0
    nanosec: int = 0


class Skills(SkillPort):
    """The skills of one runner as the port of a document."""

    def __init__(self, runner: MotionRunner) -> None:
        self._runner = runner
        self._reports: dict[str, SkillReport] = {}

    def start(self, request: SkillRequest) -> None:
        self._reports[request.id] = SkillReport(request.id, SkillStatus.RUNNING)
        try:
            self._runner.start(request)
        except CommandError as error:
            self._reports[request.id] = SkillReport(request.id, SkillStatus.FAILED, reason=str(error))

    def take(self, report: SkillReport) -> None:
        if report.id in self._reports and not self._reports[report.id].status.ended:
            self._reports[report.id] = report

    def report(self, request_id: str) -> SkillReport:
        found = self._reports[request_id]
        if found.status.ended:
            del self._reports[request_id]
        return found

    def cancel(self, request_id: str) -> None:
        self._runner.cancel(request_id)

    def hold(self, on: bool) -> None:
        self._runner.hold(on)


class Player:
    """One robot with its document."""

    def __init__(
        self, world: ManagedWorld, body_file: str, team: str, number: int, chance: random.Random
    ) -> None:
        body = read_body(
            Path(body_file) if body_file.endswith(".yaml") else HERE / f"config/bodies/{body_file}.yaml"
        )
        robot = robot_of(body)
        parameters = {
            "robot": robot.name, "team": team, "number": number, "frame_prefix": "", "team_frame": True,
            "robot_description_file": str(HERE / f"urdf/{robot.name.lower()}.urdf"),
        }  # fmt: skip
        self.team, self.number, self.falls, self.down = team, number, 0, False
        self.converter = RobotConverter(parameters, body)
        self.converter.set_demand(lambda topic: False)
        self.converter.handshake()
        self.player: ManagedPlayer = world.add(Init(robot.name, team, number))
        self.runner = MotionRunner(
            body, self.converter.native_skills(), self.converter.things, auto_get_up=True, idle=True
        )
        self._values = TeamValues()
        self._board = Blackboard()
        self._skills = Skills(self.runner)
        skills = {info.name: info for info in body.skill_infos()}
        files = (("player", "player"), ("keeper", "keeper"), ("shoot", "shoot_rcsssmj"))
        texts = {name: (DOCUMENTS / f"{file}.json").read_text() for name, file in files}
        document = (DOCUMENTS / f"{number}.json").read_text()
        self._run = Run(
            document, Ports(self._skills, VirtualMedia({}), VirtualRequests({})), Rules(skills, subtrees=texts),
            blackboard=self._board, run_id=f"{team}{number}", seed=number,
        )  # fmt: skip
        self._count = chance.randrange(TICK)
        self._last: list[Any] = []

    def cycle(self, now: float) -> None:
        """Answer the latest percept, one cycle late."""
        percept = self.player.percept
        state = self.converter.body_state(percept)
        if state is None:
            return
        targets = self.runner.step(state, CYCLE)
        for report in self.runner.take_reports():
            self._skills.take(report)
        if self.runner.status == "fallen" and not self.down:
            self.falls += 1
        self.down = self.runner.status == "fallen"
        cycle = Cycle(percept, state, targets)
        for command in self._last:
            self.player.apply(command)
        self._last = list(self.converter.answer(cycle))
        for _ in self.converter.messages(cycle, Stamp(int(now))):
            pass
        self._count += 1
        if self._count % TICK == 0:
            self._tick(now, state)

    @property
    def place(self) -> tuple[float, float]:
        """Where the robot truly is, m from the middle of the field."""
        x, y, _ = self.player._agent.xpos
        return float(x), float(y)

    def doing(self) -> str:
        """What it does, where it is, and what it knows of the ball."""
        x, y = self.place
        known = {key: value for key, value in self._board.values().items() if isinstance(value, float)}
        told = ", ".join(f"{key[5:]} {value:.1f}" for key, value in known.items())
        nodes = " / ".join(one.name for one in self._run.active() if one.name)
        return f"{self.runner.status} at {x:.1f} {y:.1f}, {nodes}: {told}"

    def _tick(self, now: float, state: Any) -> None:
        game_state = self.player.percept.game_state
        if game_state is not None:
            side = "left" if game_state.team_left == self.team else "right"
            game = Game(game_state.play_mode, side, self.team)
            place = state.base_position[:2] if state.has_base else None
            seen = [
                Seen(
                    id_,
                    dict(thing.sighting.properties).get("team", ""),
                    *thing.position[:2],
                    thing.size[2],
                    state.time - thing.seen_s,
                )
                for id_, thing in self.converter.things().items()
                if thing.kind in ("ball", "player")
            ]
            for key, value in self._values.of(game, place, seen, TICK * CYCLE).items():
                self._board.write(key, value)
        self._run.tick(now)
        self._run.take_events()


def run() -> list[dict[str, Any]]:
    """The rows of one game."""
    size = int(os.environ.get("TEAM_PLAYERS", "3"))
    halves = int(os.environ.get("TEAM_HALVES", "2"))
    body = os.environ.get("TEAM_BODY", "t1")
    seed = int(os.environ.get("TEAM_SEED", "0"))
    goals, falls, minutes, fouls, lost = [0, 0], 0, 0.0, Counter[str](), 0
    for half in range(halves):
        did = play(size, body, seed + half)
        goals = [a + b for a, b in zip(goals, did["goals"], strict=True)]
        falls, minutes, fouls, lost = (
            falls + did["falls"],
            minutes + did["minutes"],
            fouls + did["fouls"],
            lost + did["lost"],
        )
    name = f"{Path(body).stem.upper()}, {size} against {size}, {halves} x {HALF_S / 60:g} min"
    rows = [
        row(f"{name}: goals", sum(goals), "", at_least=1),
        row("falls per robot and minute", falls / minutes, "", at_most=0.1),
        row("robots lost", lost, "", at_most=0),
    ]
    return [*rows, *(row(f"fouls: {foul}", count, "") for foul, count in sorted(fouls.items()))]


def trace(simulation: Any, players: list[Player]) -> None:
    """How the game stands, and what each player does."""
    state, ball = simulation.game_state, simulation.ball.xpos
    falls = sum(player.falls for player in players)
    score = f"{state.left_team_score}:{state.right_team_score}"
    print(
        f"{state.play_time:.0f} s, {state.play_mode.value}, {score}, ball {ball[0]:.1f} {ball[1]:.1f}, {falls} falls"
    )
    for player in players:
        print(f"    {player.team} {player.number}: {player.doing()}", flush=True)


def play(size: int, body: str, seed: int) -> dict[str, Any]:
    """One half; the left team kicks off in those with an even seed."""
    chance, world = random.Random(seed), ManagedWorld()
    players = [Player(world, body, team, number, chance) for number in range(1, size + 1) for team in TEAMS]
    simulation = world.simulation
    sides = part("games.teams:TeamSide")
    fouls: Counter[str] = Counter()
    cycles = 0
    kick_off = int(BEFORE_S / CYCLE) + chance.randrange(50)
    while simulation.game_state.play_mode.value != "GameOver":
        cycles += 1
        if cycles == kick_off:
            simulation.request_kick_off(sides.LEFT if seed % 2 == 0 else sides.RIGHT)
        for player in players:
            player.cycle(cycles * CYCLE)
        world.step()
        for given in simulation.referee.fouls.values():
            fouls.update(foul.name.lower() for foul in given)
        if TRACE and cycles % 500 == 0:
            trace(simulation, players)
    lost = sum(math.hypot(*player.place) > LOST_M for player in players)
    goals = simulation.game_state.left_team_score, simulation.game_state.right_team_score
    minutes = len(players) * (cycles - kick_off) * CYCLE / 60.0
    return {
        "goals": goals,
        "falls": sum(p.falls for p in players),
        "minutes": minutes,
        "fouls": fouls,
        "lost": lost,
    }
