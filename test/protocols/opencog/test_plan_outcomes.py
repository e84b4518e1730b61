# SPDX-License-Identifier: Apache-2.0
"""Done means done: what came of a kick and a grab, speeds and durations that are kept, all actions of 2014."""

from dataclasses import replace
from pathlib import Path

import pytest

from embodiment_bridge.body.state import ParameterInfo, SkillInfo
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.plans.action import Action, Parameter
from embodiment_bridge.plans.plan_file import PlanFile, read_plan_file, vocabulary
from embodiment_bridge.plans.routine import Routine, SkillCall, Wait
from embodiment_bridge.plans.world import Place, World

PLANS = Path(__file__).parents[3] / "config/plans"
FILE = read_plan_file(PLANS / "walking.yaml")
NEAR = World(Place(0.0, 0.0, 0.0), {"ball": (0.4, 0.0, 0.1)})
BALL = Parameter("entity", "target", "ball")


def lasting(name: str, seconds: str, *others: Parameter, file: PlanFile = FILE) -> Routine:
    return file.routine(Action(name, 1, (*others, Parameter("float", "duration", seconds))))


def play(routine: Routine, world: World = NEAR, skill_s: float = 1.0) -> tuple[list[str], float]:
    """The skills of a routine, each of which takes ``skill_s`` or its slot, and the time of its end."""
    made = []
    while (move := routine.next(world)) is not None:
        assert len(made) < 100
        if isinstance(move, SkillCall):
            made.append(move.skill)
        passed = move.seconds if isinstance(move, Wait) else max(move.slot_s, skill_s)
        world = replace(world, time_s=world.time_s + passed)
    return made, world.time_s


def test_a_kick_is_done_when_the_thing_has_moved():
    routine = FILE.routine(Action("kick", 1, (BALL,)))
    assert routine.next(NEAR).skill == "go_to"
    assert routine.next(NEAR) == SkillCall("kick", offered={"entity": "ball"})
    assert isinstance(routine.next(NEAR), Wait)
    assert routine.next(replace(NEAR, entities={"ball": (0.6, 0.0, 0.1)})) is None


def test_a_kick_that_missed_is_an_error():
    routine = FILE.routine(Action("kick", 1, (BALL,)))
    with pytest.raises(CommandError, match="'kick': 'ball' has not moved"):
        play(routine)


@pytest.mark.parametrize("held", [{"owners": {"ball": "me"}}, {"entities": {"ball": (0.4, 0.0, 0.2)}}])
def test_a_grab_is_done_when_the_thing_is_in_the_hand(held):
    routine = FILE.routine(Action("grab", 1, (BALL,)))
    assert [routine.next(NEAR).skill for _ in range(2)] == ["go_to", "grab"]
    assert routine.next(replace(NEAR, **held)) is None


def test_a_grab_that_took_something_else_is_an_error():
    world = replace(NEAR, owners={"cup": "me"})
    with pytest.raises(CommandError, match="'grab': 'ball' is not in the hand"):
        play(FILE.routine(Action("grab", 1, (BALL,))), world)


def test_a_speed_is_given_to_the_skill_as_far_as_it_goes():
    far = Parameter("vector", "target", vector=(3.0, 0.0, 0.0))
    call = FILE.routine(Action("walk", 1, (far, Parameter("float", "speed", "2.0")))).next(NEAR)
    place = {"x": 3.0, "y": 0.0}
    assert call == SkillCall("go_to", place, offered={"speed": 2.0})
    details = (ParameterInfo("x"), ParameterInfo("y"), ParameterInfo("speed", minimum=0.1, maximum=0.4))
    go_to = SkillInfo("go_to", "walk", (), 1.0, 1.0, ("x", "y", "speed"), details=details)
    assert call.parameters_for(go_to) == {**place, "speed": 0.4}
    assert call.parameters_for(replace(go_to, parameters=("x", "y"))) == place
    assert FILE.routine(Action("walk", 1, (far,))).next(NEAR) == SkillCall("go_to", place)


def test_follow_lasts_and_goes_after_the_thing():
    routine = lasting("follow", "10", BALL)
    call = routine.next(NEAR)
    assert (call.skill, call.parameters, call.most_s) == ("go_to", {"thing": "ball"}, 10.0)
    assert routine.next(replace(NEAR, time_s=4.0)) == Wait(0.5)
    assert routine.next(replace(NEAR, time_s=4.5)).most_s == 5.5
    assert routine.next(replace(NEAR, time_s=9.9)) == Wait(pytest.approx(0.1))
    assert routine.next(replace(NEAR, time_s=10.0)) is None
    assert play(FILE.routine(Action("follow", 1, (BALL,)))) == (["go_to"], 1.0)


def test_eyes_show_it_for_the_duration_and_then_no_more():
    assert play(lasting("happy_eyes", "5")) == (["eye_green", "eye_white"], 6.0)
    assert play(FILE.routine(Action("happy_eyes")))[0] == ["eye_green"]
    assert play(lasting("closeEyes", "5")) == (["eye_close", "eye_open"], 6.0)


def test_looking_aside_holds_for_the_duration():
    assert play(lasting("look_left", "5")) == (["look_at"], 5.0)
    assert play(FILE.routine(Action("look_left"))) == (["look_at"], 1.0)


def test_a_dance_is_repeated_until_the_duration_is_over():
    assert play(lasting("wag", "4"))[0] == ["waist_shake"] * 4
    assert play(FILE.routine(Action("wag")))[0] == ["waist_shake"]


@pytest.mark.parametrize("path", sorted(PLANS.glob("*.yaml")), ids=lambda path: path.stem)
@pytest.mark.parametrize("name", sorted(vocabulary()))
def test_all_actions_of_2014_are_done_or_refused_by_name(path, name):
    file = read_plan_file(path)
    given = {
        "vector": Parameter("vector", vector=(1.0, 0.0, 0.0)),
        "rotation": Parameter("rotation", rotation=(0.0, 0.0, 1.0)),
        "entity": Parameter("entity", value="ball"),
        "string": Parameter("string", value="hello"),
        "float": Parameter("float", value="1"),
        "int": Parameter("int", value="1"),
    }
    action = Action(name, 1, tuple(given[slot.type] for slot in vocabulary()[name].slots))
    assert not (name.startswith(("fly", "jump")) and file.does(name))
    if file.does(name):
        file.routine(action)
    else:
        with pytest.raises(CommandError, match=f"action '{name}': {path.name} has no skill for it"):
            file.routine(action)
