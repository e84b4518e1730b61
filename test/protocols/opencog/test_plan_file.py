# SPDX-License-Identifier: Apache-2.0
"""From actions of a plan to skills: parameters by type and place, walking as a loop, what cannot be done."""

from dataclasses import replace
from math import cos, inf, nan, pi, sin
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.plans.action import Action, Parameter, snake_case
from embodiment_bridge.plans.movement import PATIENCE
from embodiment_bridge.plans.plan_file import parse_plan_file, read_plan_file, vocabulary
from embodiment_bridge.plans.routine import SkillCall, Wait
from embodiment_bridge.plans.world import Place, World

ROOT = Path(__file__).parents[3]
FILE = read_plan_file(ROOT / "config/plans/walking.yaml")
HERE = Place(0.0, 0.0, 0.0)
BALL = World(HERE, {"ball": (2.0, 0.0, 0.1)})
TARGET = Parameter("vector", "target", vector=(2.0, 1.0, 0.0))
HIGH = Parameter("vector", "target", vector=(0.0, 0.0, 5.0))
ON_BALL = Parameter("entity", "target", "ball")


def calls(action, world, limit=50):
    """The skills of an action in a world in which each turn and each walk comes out as asked."""
    routine = FILE.routine(action)
    made = []
    while (call := routine.next(world)) is not None:
        if isinstance(call, Wait):
            world = replace(world, time_s=world.time_s + call.seconds)
            continue
        made.append(call)
        world = moved(world, call)
        assert len(made) < limit
    return made, world


def turn(side, angle):
    return SkillCall(f"turn_{side}", {"angle": pytest.approx(angle)})


def gaze(x, y):
    return SkillCall("look_at", {"x": pytest.approx(x), "y": pytest.approx(y), "z": 0.5})


def moved(world, call):
    pose = world.pose
    angle = call.parameters.get("angle", 0.0) * (-1 if call.skill == "turn_right" else 1)
    step = call.parameters.get("distance", 0.0)
    place = Place(pose.x + step * cos(pose.yaw), pose.y + step * sin(pose.yaw), pose.yaw + angle)
    owners = {"ball": "me"} if call.skill == "grab" else {}
    return World(place, world.entities, owners, world.time_s + max(call.slot_s, 1.0))


def test_walk_goes_where_it_shall():
    for x, y in [(2.0, 1.0), (-3.0, 0.2), (0.3, -0.3), (7.0, -7.0), (0.0, 0.01)]:
        _, world = calls(Action("walk", 1, (Parameter("vector", vector=(x, y, 0.0)),)), World(HERE))
        assert abs(complex(world.pose.x - x, world.pose.y - y)) <= FILE.gait.near


def test_walk_first_turns():
    made, _ = calls(Action("walk", 1, (Parameter("vector", vector=(0.0, -1.0, 0.0)),)), World(HERE))
    assert made[0] == SkillCall("turn_right", {"angle": pytest.approx(pi / 2)})
    assert {call.skill for call in made[1:]} == {"step_forward"}


def test_walk_that_gets_no_nearer_ends():
    routine = FILE.routine(Action("walk", 1, (TARGET,)))
    for _ in range(PATIENCE):
        routine.next(World(HERE))
    with pytest.raises(CommandError, match=r"'walk': the body does not get nearer than 2\.24 m"):
        routine.next(World(HERE))


def test_turn_that_does_not_turn_ends():
    routine = FILE.routine(Action("turn", 1, (Parameter("rotation", rotation=(0.0, 0.0, 1.0)),)))
    for _ in range(PATIENCE):
        routine.next(World(HERE))
    with pytest.raises(CommandError, match="does not turn"):
        routine.next(World(HERE))


def test_grab_goes_to_the_thing_first():
    made, world = calls(Action("grab", 1, (ON_BALL,)), BALL)
    assert made[-1] == SkillCall("grab", offered={"entity": "ball"})
    assert 2.0 - 0.42 <= world.pose.x < 2.0 - 0.2


def test_things_that_move_are_followed():
    routine = FILE.routine(Action("kick", 1, (ON_BALL,)))
    assert routine.next(BALL).skill == "step_forward"
    away = World(Place(1.0, 0.0, 0.0), {"ball": (1.0, 1.5, 0.1)})
    assert routine.next(away) == SkillCall("turn_left", {"angle": pytest.approx(pi / 2)})


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Action("drop"), [SkillCall("drop")]),
        (Action("do_nothing"), []),
        (Action("say", 1, (Parameter("string", "message", "hi"),)), [SkillCall("say", {"text": "hi"})]),
        (Action("lookAt", 1, (ON_BALL,)), [SkillCall("look_at", {"entity": "ball"})]),
        (Action("look_at", 1, (Parameter("entity", "x", "moon"),)), [SkillCall("look_at", {"entity": "moon"})]),
        (Action("rotate", 1, (Parameter("float", "", "90"),)), [turn("right", pi / 2)]),
        (Action("rotate", 1, (Parameter("int", "", "-90"),)), [turn("left", pi / 2)]),
        (Action("rotate", 1, (Parameter("float", "", "1"),)), []),
        (Action("rotateLeft"), [SkillCall("turn_left", {"angle": 1.5708})]),
        (Action("shake_head", 1, (Parameter("float", "", "2.5"),)), [SkillCall("head_shake", {}, 2.5)]),
        (Action("shake_head", 1, (Parameter("float", "", "1e9"),)), [SkillCall("head_shake", {}, 600.0)]),
        (Action("look_left"), [gaze(2 * cos(0.8), 2 * sin(0.8))]),
        (Action("bark"), [SkillCall("say", {"text": "Woof!"})]),
    ],
)  # fmt: skip
def test_actions(action, expected):
    assert calls(action, World(HERE))[0] == expected


def test_turn_is_a_heading_or_an_angle():
    action = Action("turn", 1, (Parameter("rotation", "rotation", rotation=(0.0, 0.0, 1.0)),))
    world = World(Place(0.0, 0.0, 0.5))
    assert FILE.routine(action).next(world).parameters == {"angle": pytest.approx(0.5)}
    assert FILE.with_turn("relative").routine(action).next(world).parameters == {"angle": pytest.approx(1.0)}
    with pytest.raises(ConfigError, match="'so'"):
        FILE.with_turn("so")


@pytest.mark.parametrize("names", [("target", "speed", "x"), ("", "", ""), ("speed", "target", "target")])
def test_parameters_go_by_type_and_place_not_by_name(names):
    given = (
        Parameter("float", names[0], "2.5"),
        Parameter("vector", names[1], vector=(0.0, 1.0, 0.0)),
        Parameter("entity", names[2], "nobody"),
    )
    made, _ = calls(Action("walk", 1, given), World(HERE))
    assert made[0].skill == "turn_left"


@pytest.mark.parametrize(
    ("action", "world", "words"),
    [
        (Action("fli"), BALL, "unknown action 'fli'; did you mean 'fly'"),
        (Action(""), BALL, "unknown action ''"),
        (Action("x" * 1000), BALL, "unknown action"),
        (Action("fly", 1, (TARGET,)), BALL, "'fly': walking.yaml has no skill for it"),
        (Action("jump_up"), BALL, "'jump_up': walking.yaml has no skill for it"),
        (Action("walk", 1, (TARGET, Parameter("float", "", "-1"))), BALL, "'speed' is -1 m/s, not more than 0"),
        (Action("walk", 1, (HIGH,)), BALL, "the target is 5.0 m above the body, which walks"),
        (Action("walk", 1, (HIGH,)), World(Place(0.0, 0.0, 0.0, 8.0)), "3.0 m below"),
        (Action("poo"), BALL, "'poo': walking.yaml has no skill for it"),
        (Action("walk"), BALL, "needs a parameter 'target' of type vector"),
        (Action("walk", 1, (Parameter("vector"),)), BALL, "'target' of type vector is nothing that can be read"),
        (Action("walk", 1, (Parameter("vector", vector=(inf, 0.0, 0.0)),)), BALL, "'target' of type vector is nothing"),
        (Action("walk", 1, (Parameter("vector", vector=(0.0, nan, 0.0)),)), BALL, "'target' of type vector is nothing"),
        (Action("turn", 1, (Parameter("rotation", rotation=(0.0, 0.0, nan)),)), BALL, "of type rotation is nothing"),
        (Action("rotate", 1, (Parameter("float", "", "x"),)), BALL, "'angle' of type float is 'x'"),
        (Action("grab", 1, (Parameter("entity"),)), BALL, "'target' of type entity"),
        (Action("grab", 1, (Parameter("entity", "", "bal"),)), BALL, "unknown entity 'bal'; did you mean 'ball'"),
        (Action("walk", 1, (TARGET,)), World(None), "the place of the body is unknown"),
        (Action("look_left"), World(None), "the place of the body is unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_says_why(action, world, words):
    with pytest.raises(CommandError) as caught:
        FILE.routine(action).next(world)
    assert words in str(caught.value)


def test_names_in_humps():
    assert [snake_case(n) for n in ("sniffAt", "walk", "dance1", "jumpUp", "look_at")] == [
        "sniff_at",
        "walk",
        "dance1",
        "jump_up",
        "look_at",
    ]


def test_vocabulary_is_that_of_the_brains():
    words = vocabulary()
    assert len(words) == 40 + 54
    assert [(s.name, s.type, s.mandatory) for s in words["group_command"].slots] == [
        ("target", "string", True),
        ("command", "string", False),
        ("parameters", "string", False),
    ]


@pytest.mark.parametrize(("plans", "body"), [("walking", "mock"), ("maeden", "maeden")])
def test_file_speaks_of_skills_and_parameters_that_the_body_has(plans, body):
    file = read_plan_file(ROOT / f"config/plans/{plans}.yaml")
    skills = read_body(ROOT / f"config/bodies/{body}.yaml").skills
    assert file.skills() <= set(skills)
    for entry in (entry for entries in file.stages.values() for entry in entries if entry.kind == "skill"):
        assert {*entry.taken, *entry.given} <= {p.name for p in skills[entry.subject].parameters}, entry
    for name, parameter in ((file.gait.left, file.gait.angle), (file.gait.forward, file.gait.distance)):
        assert parameter in {p.name for p in skills[name].parameters}


def test_every_plan_file_can_be_read():
    assert {path.stem for path in (ROOT / "config/plans").glob("*.yaml") if read_plan_file(path)} >= {
        "maeden",
        "walking",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "YAML"),
        ("actions: {fli: []}", "'fli'; did you mean 'fly'"),
        ("actions: {drop: [{}]}", "exactly one of skill"),
        ("actions: {drop: [{skill: a, face: b}]}", "exactly one of skill"),
        ("actions: {drop: [{face: target}]}", "unknown parameter of drop 'target'"),
        ("actions: {say: [{skill: say, with: {text: mesage}}]}", "'mesage'; did you mean 'message'"),
        ("actions: {drop: [{skill: a, wiht: {}}]}", "unknown key 'wiht'"),
        ("actions: {rotate: [{turn_by: 99}]}", "within"),
        ("actions: {}\nturn: left", "'left'"),
        ("actions: {}\ngait: {left: 1}", "not a text"),
        ("actions: {}\ngait: {legs: 1}", "unknown key 'legs'"),
        ("actions: {}\nvocabulary: {dig: '[depth:metres]'}", "name:type"),
        ("gait: {}", "actions: missing"),
        ("actions: {wag: [{skill: a}]}\nrepeated: [wagg]", "'wagg'; did you mean 'wag'"),
        ("actions: {wag: [], drop: [{skill: a}]}\nrepeated: [drop]", "'drop'"),
        ("actions: {say: [{skill: say, offer: {text: mesage}}]}", "'mesage'; did you mean 'message'"),
        ("actions: {kick: [{skill: kick, moves: it}]}", "'it'"),
        ("actions: {sit: [{skill: sit, when: duratio}]}", "'duratio'"),
    ],
)
def test_bad_plan_file_says_what_is_wrong(text, words):
    with pytest.raises(ConfigError) as caught:
        parse_plan_file(text, "x.yaml")
    assert words in str(caught.value)
    assert "x.yaml" in str(caught.value)


def test_missing_plan_file_is_named():
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read"):
        read_plan_file("nowhere.yaml")


def test_own_actions():
    text = """
    vocabulary: {dig: 'where:vector depth:float'}
    actions: {dig: [{approach: where}, {skill: dig, with: {depth: depth, x: where.x}}]}
    """
    given = (Parameter("vector", vector=(0.0, 0.0, 0.0)), Parameter("float", "", "0.5"))
    routine = parse_plan_file(text, "x.yaml").routine(Action("dig", 1, given))
    assert routine.skills == ("dig",)
    assert routine.next(World(HERE)) == SkillCall("dig", {"depth": 0.5, "x": 0.0})


def test_file_in_the_documents_can_be_read():
    page = (ROOT / "docs/plans.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    assert "dig" in parse_plan_file(text, "docs/plans.md").stages
