# SPDX-License-Identifier: Apache-2.0
"""Each skill that a body lists is done, as docs/outcomes.md promises, and all who ask are told the same skills.

The skills are those that a client sees; a watcher of its own judges them one after the other on one running body.
`make soak` does it with the bodies that are slow.
"""

import math
import os
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.msg import SkillInfo, SkillList
from graph_stage import Stage
from matrix_judge import Scene, shown
from matrix_stage import SEEN_S, MatrixStage
from robot_stage import ROOT, bringup
from waiting import SIMULATION
from world_watcher import WorldWatcher

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.mcp_server.schemas import tools
from embodiment_bridge.nodes.body.skill_server import skill_infos

NAMESPACE = f"listed{os.getpid()}"  # two runs of the tests on one machine may share a ROS domain
FAST = {"use_sim_time": "true"}
MUJOCO = {"body": "mujoco", "real_time_factor": "0.0", **FAST}
QUICK = {
    "mock": {"body": "mock", "speed": "10.0", **FAST},
    "desk_arm": {"robot": "desk_arm", **MUJOCO},
}
SLOW = {
    "desk_humanoid_walking": {"robot": "desk_humanoid_walking", **MUJOCO},
    "ant": {"robot": "ant", **MUJOCO},
    "T1": {"robot": "T1", "world": "soccer", "start_x": "-1.5", "start_y": "0.5", **MUJOCO},
    "K1": {"robot": "K1", "world": "soccer", "start_x": "-1.5", "start_y": "0.5", **MUJOCO},
    "desk_humanoid": {"robot": "desk_humanoid", **MUJOCO},
    "open_manipulator_x": {"robot": "open_manipulator_x", **MUJOCO},
    "dummy": {"body": "dummy", "start_peer": "true"},
}
BODY_FILES = ROOT / "config/bodies"
BY_THE_SERVER = {"beam", "get_up", "kick"}  # skills that a body has in the server of the game only
IN_REAL_TIME = {"rcsssmj": "t1", "simspark": "nao", "maeden": "maeden", "virtual_servos": "desk_humanoid"}
NEW = ("desk_arm", "ant", "desk_dog")  # descriptions for which `new-body` writes a body
UPRIGHT_S = 3.0  # after the last motion
NEAR = 0.2  # rad (m) from its goal, where docs/outcomes.md says that a joint has arrived
TRAVEL = {"distance": 0.5}
WALKED = 0.25  # m at least, by a walk of that
THING = "THING"  # stands for the thing that is in the body's world
EXAMPLES: dict[str, dict[str, Any]] = {  # of skills that need one; the others have defaults
    "walk": TRAVEL,
    "go_to": {"x": 0.4, "y": 0.2},
    "beam": {"x": -1.5, "y": 0.5},
    "find": {"thing": THING},
    "dribble": {"x": 1.5, "y": 0.4},
    "grab": {"thing": THING},
    "look_at": {"thing": THING},
}
AT_THE_BALL = ("grab", "kick")  # what has the ball within reach: the body goes there before
NEEDS_MORE = {"key": ("use", "attack")}  # by the thing of the world: a door before the agent, another agent
USUAL = {"text": "hello", "thing": THING, "number": 1.0}  # for what is required, by its type


class Listed(Stage):
    """A body as the launch file starts it; the simulated ones are as fast as the machine and the watcher can."""

    def __init__(self, arguments: dict[str, str]) -> None:
        with ExitStack() as stack:
            graph = stack.enter_context(Graph(bringup(NAMESPACE, **arguments), lambda text: None))
            super().__init__(graph, NAMESPACE)
            stack.callback(super().close)
            self.seen = WorldWatcher(NAMESPACE, self.runtime.context.get_domain_id())
            stack.callback(self.seen.close)
            self.until(lambda: self.watcher.link == "ready" and self.skills.server_is_ready())
            self._open = stack.pop_all()

    def close(self) -> None:
        """End everything."""
        self._open.close()


def listed(stage: Stage) -> dict[str, SkillInfo]:
    """The skills of the body by name, as a client sees them."""
    if "skills" not in stage.last:
        stage.listen({"skills": (SkillList, "latched")})
    stage.until(lambda: "skills" in stage.last)
    return {one.name: one for one in stage.last["skills"].skills}


def example(skill: SkillInfo, thing: str) -> dict[str, Any]:
    """What to ask the skill with."""
    given = {one.name: USUAL[one.type] for one in skill.parameter_details if one.required}
    given |= {k: v for k, v in EXAMPLES.get(skill.name, {}).items() if k in skill.parameters}
    return {k: thing if v == THING else v for k, v in given.items()}


def off_its_goal(stage: Any, goals: dict[str, float], since: float) -> list[str]:
    """The joints of which no angle that was told since then is near the goal."""
    return [
        joint
        for joint, goal in goals.items()
        if (told := [angle for at, angle in stage.seen.joints[joint] if at >= since])
        and min(abs(angle - goal) for angle in told) > NEAR
    ]


def do_all(stage: Any, goals: dict[str, dict[str, float]], thing: str = "ball") -> dict[str, str]:
    """Do each listed skill; what the world did not show, by skill."""
    faults: dict[str, str] = {}
    skills = listed(stage)
    for name, skill in skills.items():
        if name in NEEDS_MORE.get(thing, ()):
            continue
        if name in AT_THE_BALL and skill.available and "go_to" in skills:
            near = {"thing": thing, "distance": 0.25}
            given = {key: value for key, value in near.items() if key in skills["go_to"].parameters}
            reached = stage.skill("go_to", **given)
            assert reached.status == reached.SUCCEEDED, reached.reason
        since = stage.seen.now
        result = stage.skill(name, **example(skill, thing))
        stage.until(lambda ended=stage.seen.now: stage.seen.now > ended)
        if not skill.available:
            if result.status != result.SKIPPED:
                faults[name] = f"not available, but {result.status} {result.reason}"
            continue
        if result.status != result.SUCCEEDED:
            faults[name] = result.reason
            continue
        place = (to["x"], to["y"]) if "x" in (to := EXAMPLES.get(name, {})) else (0.0, 0.0)
        stays = not stage.seen.places or skill.kind == "motion"
        scene = Scene(thing, place, stays, bool(stage.seen.joints))

        def done(name: str = name, scene: Scene = scene, since: float = since) -> bool:
            if name == "walk":
                return scene.stays or stage.seen.away(since) > WALKED
            return shown(name, scene, stage.seen, since, math.inf) and not off_its_goal(
                stage, goals.get(name, {}), since
            )

        late = time.monotonic() + SEEN_S
        stage.until(lambda done=done, late=late: done() or time.monotonic() > late)
        if not done():
            off = off_its_goal(stage, goals.get(name, {}), since)
            faults[name] = f"succeeded, but the world does not show it: {off}, {result.reason}"
    end = stage.seen.now + UPRIGHT_S
    stage.until(lambda: stage.seen.now > end, SIMULATION)
    return faults | ({"fell": "lies on the ground"} if stage.seen.fell(0.0) else {})


def goals_of(file: Path) -> dict[str, dict[str, float]]:
    """Where the last keyframe of each motion leaves its joints, by skill: the world has to show this."""
    body = read_body(file)
    return {
        skill.name: skill.keyframes[-1].position
        for skill in body.skills.values()
        if skill.kind == "motion" and skill.keyframes and not skill.lying
    }


def offered(message: SkillList) -> set[str]:
    """The skills that a language model may ask for."""
    (tool,) = (one for one in tools(skill_infos(message)) if one.name == "do_skill")
    return set(tool.input_schema["properties"]["name"]["enum"])


def check(stage: Any, file: Path, thing: str = "ball") -> None:
    skills = listed(stage)
    assert offered(stage.last["skills"]) == {name for name, skill in skills.items() if skill.available}
    assert set(read_body(file).skills) - set(skills) <= BY_THE_SERVER
    assert do_all(stage, goals_of(file), thing) == {}


@pytest.mark.parametrize(
    ("robot", "arguments"),
    [pytest.param(name, one, id=name) for name, one in QUICK.items()]
    + [pytest.param(name, one, id=name, marks=pytest.mark.soak) for name, one in SLOW.items()],
)
def test_each_listed_skill_is_done(robot, arguments) -> None:
    with closing(Listed(arguments)) as stage:
        check(stage, BODY_FILES / f"{robot.lower()}.yaml")


@pytest.mark.soak
@pytest.mark.parametrize(("body", "robot"), IN_REAL_TIME.items())
def test_each_listed_skill_is_done_in_real_time(body, robot, tmp_path) -> None:
    with closing(MatrixStage(body, tmp_path)) as stage:
        stage._begin()
        check(stage, BODY_FILES / f"{robot}.yaml", "key" if body == "maeden" else "ball")


@pytest.mark.parametrize("robot", [NEW[0], *(pytest.param(one, marks=pytest.mark.soak) for one in NEW[1:])])
def test_each_skill_that_new_body_writes_is_listed_and_done(robot, tmp_path, capsys) -> None:
    urdf = str(ROOT / f"urdf/{robot}.urdf")
    assert main(["new-body", urdf, "--name", "mine", "--folder", str(tmp_path)]) == 0
    file = tmp_path / "mine.yaml"
    on_a_stand = {"model": urdf, "body_file": str(file), "base": "fixed", **MUJOCO}
    with closing(Listed(on_a_stand)) as stage:
        assert set(listed(stage)) == {*read_body(file).skills, "say"}
        check(stage, file)
