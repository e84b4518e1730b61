# SPDX-License-Identifier: Apache-2.0
"""From actions of a plan to skills: parameters by type and place, where to walk, what cannot be done."""

from dataclasses import replace
from math import cos, hypot, inf, nan, pi, sin
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.plans.action import Action, Parameter, snake_case
from embodiment_bridge.plans.plan_file import parse_plan_file, read_plan_file, vocabulary
from embodiment_bridge.plans.routine import SkillCall, Wait
from embodiment_bridge.plans.world import Place, World

ROOT = Path(__file__).parents[3]
FILE = read_plan_file(ROOT / "config/plans/walking.yaml")
HERE = Place(0.0, 0.0, 0.0)
BALL = World(HERE, {"ball": (2.0, 0.0, 0.1)}, {"ball": 0.1})
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
    place, given = world.pose, {**call.parameters, **call.offered}
    x, y, yaw = given.get("x", place.x), given.get("y", place.y), given.get("yaw", place.yaw)
    if call.skill == "go_to" and "thing" in given:
        x, y, _ = world.entities[given["thing"]]
        x -= given["distance"] + world.reaches[given["thing"]]
    elif call.skill != "go_to":
        x, y, yaw = (
            place.x,
            place.y,
            yaw + given.get("angle", 0.0) * (-1 if call.skill == "turn_right" else 1),
        )
    owners = {"ball": "me"} if call.skill == "grab" else {}
    return World(
        Place(x, y, yaw), world.entities, world.reaches, owners, world.time_s + max(call.slot_s, 1.0)
    )


def go_to(**parameters):
    numbers = {
        key: pytest.approx(value) if value != str(value) else value for key, value in parameters.items()
    }
    return SkillCall("go_to", numbers)


def walk(x, y):
    return Action("walk", 1, (Parameter("vector", vector=(x, y, 0.0)),))


def test_walk_goes_where_it_shall_with_the_skill_go_to():
    for x, y in [(2.0, 1.0), (-3.0, 0.2), (0.3, -0.3), (7.0, -7.0)]:
        assert calls(walk(x, y), World(HERE))[0] == [go_to(x=x, y=y)]
    assert calls(walk(0.0, 0.05), World(HERE))[0] == []  # it is there


def test_what_shall_end_beside_a_place_ends_before_it():
    file = parse_plan_file("actions: {walk: [{approach: target, within: 0.5}]}", "x.yaml")
    assert file.routine(walk(3.0, 4.0)).next(World(HERE)) == go_to(x=3.0 * 0.92, y=4.0 * 0.92)
    assert file.routine(walk(0.3, 0.3)).next(World(HERE)) is None


@pytest.mark.parametrize(("reach", "distance"), [(0.1, 0.236), (0.0, 0.336), (3.0, 0.0)])
def test_what_shall_end_beside_a_thing_keeps_the_distance_from_its_edge(reach, distance):
    world = replace(BALL, reaches={"ball": reach})
    call = FILE.routine(Action("kick", 1, (ON_BALL,))).next(world)
    assert (call.parameters, call.offered) == ({"thing": "ball"}, {"distance": pytest.approx(distance)})


def test_turn_to_a_heading_and_to_a_thing_are_turns_from_the_heading_of_then():
    heading = Action("turn", 1, (Parameter("rotation", "rotation", rotation=(0.0, 0.0, 3.0)),))
    assert calls(heading, World(Place(0.5, 0.6, -3.0)))[0] == [turn("right", 2 * pi - 6.0)]
    assert calls(heading, World(Place(0.5, 0.6, 2.95)))[0] == []
    greet = FILE.routine(Action("greet", 1, (ON_BALL,)))
    assert greet.next(World(Place(2.0, 1.0, 0.0), BALL.entities)) == turn("right", pi / 2)
    assert greet.next(BALL).skill == "say"


def test_grab_goes_to_the_thing_first():
    made, world = calls(Action("grab", 1, (ON_BALL,)), BALL)
    assert [call.skill for call in made] == ["go_to", "grab"]
    assert made[-1].offered == {"entity": "ball"}
    assert 2.0 - 0.42 <= world.pose.x < 2.0 - 0.2


def test_nudge_takes_the_thing_and_drops_it_at_the_place():
    action = Action("nudge_to", 1, (ON_BALL, TARGET))
    made, world = calls(action, BALL)
    assert [call.skill for call in made] == ["go_to", "grab", "go_to", "drop"]
    assert hypot(world.pose.x - 2.0, world.pose.y - 1.0) == pytest.approx(0.8 * 0.35)


def test_skill_that_walks_is_checked_before_the_first_one_begins():
    assert FILE.routine(Action("nudge_to", 1, (ON_BALL, TARGET))).skills == ("go_to", "grab", "go_to", "drop")


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
    assert made == [replace(go_to(x=0.0, y=1.0), offered={"speed": 2.5})]


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
    assert file.gait.angle in {p.name for p in skills[file.gait.left].parameters}


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
    gait: {forward: step_forward, near: 0.2}
    vocabulary: {dig: 'where:vector depth:float'}
    actions: {dig: [{approach: where}, {skill: dig, with: {depth: depth, x: where.x}}]}
    """
    given = (Parameter("vector", vector=(0.0, 0.0, 0.0)), Parameter("float", "", "0.5"))
    file = parse_plan_file(text, "x.yaml")
    assert file.void == ("forward", "near")  # what was written for an earlier release can still be read
    routine = file.routine(Action("dig", 1, given))
    assert routine.skills == ("go_to", "dig")
    assert routine.next(World(HERE)) == SkillCall("dig", {"depth": 0.5, "x": 0.0})


def test_file_in_the_documents_can_be_read():
    page = (ROOT / "docs/plans.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    assert "dig" in parse_plan_file(text, "docs/plans.md").stages
