# SPDX-License-Identifier: Apache-2.0
"""From actions of a plan to nodes of a document: parameters by type and place, durations, what cannot be done."""

import json
from dataclasses import replace
from math import inf, nan, pi
from pathlib import Path

import pytest

from embodiment_bridge.behaviour.engine.loading import Rules, load
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import ParameterInfo, SkillInfo
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.plans.action import Action, Parameter, snake_case
from embodiment_bridge.plans.plan_document import Options, plan_document
from embodiment_bridge.plans.plan_file import parse_plan_file, read_plan_file, vocabulary

ROOT = Path(__file__).parents[3]
PLANS = ROOT / "config/plans"
FILE = read_plan_file(PLANS / "walking.yaml")


def skills_of(body):
    """The skills of a body, by name."""
    return {info.name: info for info in read_body(ROOT / f"config/bodies/{body}.yaml").skill_infos()}


SKILLS = skills_of("mock")
TARGET = Parameter("vector", "target", vector=(2.0, 1.0, 0.0))
ON_BALL = Parameter("entity", "target", "ball")


def node(action, file=FILE, skills=SKILLS, **options):
    """The node of an action, without its name and time-out."""
    made = plan_document([action], file, skills, Options(**options), {})
    load(made, Rules(skills, strict=True), speech=False)
    found = json.loads(made)["behaviors"][0]
    found.pop("timeout", 0)
    found.pop("name", "")
    return found


def body(skill, slot=0.0, **parameters):
    given = {
        name: value if isinstance(value, str) else pytest.approx(value) for name, value in parameters.items()
    }
    length = {"duration": slot} if slot else {}
    return {"type": "body", "action": skill.upper(), **length, "parameters": given}


def sequence(*nodes):
    return {"type": "sequence", "behaviors": list(nodes)}


def beside(node, seconds):
    """A node, and at least so many s."""
    return {"type": "parallel", "behaviors": [node, {"type": "delay", "duration": seconds}]}


def again(node, seconds):
    """A node again and again, for so many s."""
    loop = {"type": "loop", "loop": -1, "behavior": node}
    return {"type": "sequence", "duration": seconds, "behaviors": [loop]}


def walk(x, y, z=0.0, *others):
    return Action("walk", 1, (Parameter("vector", vector=(x, y, z)), *others))


def lasting(name, seconds, *others):
    return Action(name, 1, (*others, Parameter("float", "duration", seconds)))


def number(value):
    return Parameter("float", "", value)


def heading(yaw):
    return Action("turn", 1, (Parameter("rotation", "rotation", rotation=(0.0, 0.0, yaw)),))


TO_BALL = body("go_to", thing="ball", distance=0.23)
TO_FOLLOW = body("go_to", thing="ball", distance=0.3)
GRAB, DROP = body("grab", entity="ball"), body("drop")
GREEN, WHITE = body("eye_green"), body("eye_white")


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Action("drop"), DROP),
        (Action("do_nothing"), {"type": "delay", "duration": 0}),
        (Action("say", 1, (Parameter("string", "message", "hi"),)), body("say", text="hi")),
        (Action("lookAt", 1, (ON_BALL,)), body("look_at", entity="ball")),
        (Action("look_at", 1, (Parameter("entity", "x", "moon"),)), body("look_at", entity="moon")),
        (walk(2.0, 1.0), body("go_to", x=2.0, y=1.0)),
        (walk(2.0, 1.0, 0.0, number("0.5")), body("go_to", x=2.0, y=1.0, speed=0.5)),
        (walk(2.0, 1.0, 0.0, number("25")), body("go_to", x=2.0, y=1.0, speed=1.0)),
        (Action("grab", 1, (ON_BALL,)), sequence(TO_BALL, GRAB)),
        (Action("sniffAt", 1, (ON_BALL,)), TO_BALL),
        (Action("kick", 1, (ON_BALL,)), sequence(TO_BALL, body("kick", entity="ball"))),
        (
            Action("nudge_to", 1, (ON_BALL, TARGET)),
            sequence(TO_BALL, GRAB, body("go_to", x=2.0, y=1.0, distance=0.28), DROP),
        ),
        (heading(3.0), body("go_to", yaw=3.0)),
        (heading(4.0), body("go_to", yaw=4.0 - 2 * pi)),
        (Action("rotate", 1, (number("90"),)), body("turn_right", angle=pi / 2)),
        (Action("rotate", 1, (Parameter("int", "", "-90"),)), body("turn_left", angle=pi / 2)),
        (Action("rotate", 1, (number("1"),)), {"type": "delay", "duration": 0}),
        (Action("rotateLeft"), body("turn_left", angle=1.5708)),
        (
            Action("greet", 1, (ON_BALL,)),
            sequence(body("go_to", thing="ball", distance=100.0), body("say", text="Hello!")),
        ),
        (Action("look_left"), body("look_at", yaw=0.8)),
        (Action("bark"), body("say", text="Woof!")),
        (Action("happy_eyes"), GREEN),
        (lasting("happy_eyes", "5"), beside(sequence(body("eye_green", 5.0), WHITE), 5.0)),
        (lasting("look_left", "5"), beside(body("look_at", yaw=0.8), 5.0)),
        (lasting("shake_head", "2.5"), beside(body("head_shake", 2.5), 2.5)),
        (lasting("shake_head", "1e9"), beside(body("head_shake", 600.0), 600.0)),
        (Action("wag"), body("waist_shake")),
        (lasting("wag", "4"), again(body("waist_shake"), 4.0)),
        (Action("follow", 1, (ON_BALL,)), TO_FOLLOW),
        (
            lasting("follow", "8", ON_BALL),
            beside(again(sequence(TO_FOLLOW, {"type": "delay", "duration": 0.5}), 8.0), 8.0),
        ),
    ],
)  # fmt: skip
def test_actions(action, expected):
    assert node(action) == expected


def test_time_and_attempts_are_those_of_the_options():
    made = json.loads(plan_document([Action("drop")], FILE, SKILLS, Options("retry", 2, 7.0), {}))
    assert made["behaviors"] == [{**DROP, "timeout": 7.0, "retry": 2, "name": "drop"}]
    assert "failurePolicy" not in made
    assert '"failurePolicy": "FailOnAll"' in plan_document([], FILE, SKILLS, Options("continue"), {})


def test_turn_is_a_heading_or_an_angle():
    assert node(heading(1.0), FILE.with_turn("relative")) == body("turn_left", angle=1.0)
    assert node(heading(-1.0), FILE.with_turn("relative")) == body("turn_right", angle=1.0)
    with pytest.raises(ConfigError, match="'so'"):
        FILE.with_turn("so")


@pytest.mark.parametrize("names", [("target", "speed", "x"), ("", "", ""), ("speed", "target", "target")])
def test_parameters_go_by_type_and_place_not_by_name(names):
    given = (
        Parameter("float", names[0], "0.7"),
        Parameter("vector", names[1], vector=(0.0, 1.0, 0.0)),
        Parameter("entity", names[2], "nobody"),
    )
    assert node(Action("walk", 1, given)) == body("go_to", x=0.0, y=1.0, speed=0.7)


def test_what_is_offered_goes_to_a_skill_that_has_it():
    go_to = SKILLS["go_to"]
    details = tuple(ParameterInfo(one) for one in ("x", "y"))
    plain = SkillInfo("go_to", "walk", (), 1.0, 1.0, ("x", "y"), details=details)
    assert "speed" in go_to.parameters
    assert node(walk(1.0, 0.0, 0.0, number("0.7")), skills={"go_to": plain}) == body("go_to", x=1.0, y=0.0)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Action("fli"), "unknown action 'fli'; did you mean 'fly'"),
        (Action(""), "unknown action ''"),
        (Action("x" * 1000), "unknown action"),
        (Action("fly", 1, (TARGET,)), "'fly': walking.yaml has no skill for it"),
        (Action("jump_up"), "'jump_up': walking.yaml has no skill for it"),
        (walk(2.0, 1.0, 0.0, number("-1")), "'speed' is -1, not more than 0"),
        (walk(0.0, 0.0, 5.0), "the target is 5.0 m above the floor, on which the body walks"),
        (walk(0.0, 0.0, -3.0), "3.0 m below"),
        (Action("poo"), "'poo': walking.yaml has no skill for it"),
        (Action("walk"), "needs a parameter 'target' of type vector"),
        (Action("walk", 1, (Parameter("vector"),)), "'target' of type vector is nothing that can be read"),
        (walk(inf, 0.0), "'target' of type vector is nothing"),
        (walk(0.0, nan), "'target' of type vector is nothing"),
        (heading(nan), "of type rotation is nothing"),
        (Action("rotate", 1, (number("x"),)), "'angle' of type float is 'x'"),
        (Action("grab", 1, (Parameter("entity"),)), "'target' of type entity"),
    ],
)
def test_what_cannot_be_done_is_a_node_that_fails_with_the_reason(action, words):
    made = node(action)
    assert (made["type"], made["return"]) == ("log", False)
    assert words in made["text"]


@pytest.mark.parametrize("action", [Action("rotate", 1, (number("50"),)), Action("rotate_right")])
def test_body_that_turns_on_the_spot_says_that_it_has_no_angle(action):
    on_the_spot = SkillInfo("turn_right", "motion", ("legs",), 1.0, 1.0)
    made = node(action, skills={"turn_right": on_the_spot})
    assert made["text"] == (
        f"action '{action.name}': skill 'turn_right' of this body has no angle: it is done in one way only"
    )


def test_skill_that_the_body_lacks_is_named_before_it_moves():
    skills = {**SKILLS, "grab": replace(SKILLS["grab"], available=False)}
    lacking = node(Action("grab", 1, (ON_BALL,)), skills=skills)["text"]
    assert lacking == "action 'grab': the body lacks arm_r, hand_r, which skill 'grab' needs"
    without = {name: info for name, info in SKILLS.items() if name != "drop"}
    assert "no skill 'drop'" in node(Action("nudge_to", 1, (ON_BALL, TARGET)), skills=without)["text"]


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
    action = Action(name, 1, tuple(given[slot.type] for slot in vocabulary()[name]))
    skills = skills_of("maeden" if path.stem == "maeden" else "mock")
    assert not (name.startswith(("fly", "jump")) and file.does(name))
    if file.does(name):
        assert node(action, file, skills)["type"] != "log"
    else:
        with pytest.raises(CommandError, match=f"action '{name}': {path.name} has no skill for it"):
            file.find(action)


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
    assert [(s.name, s.type, s.mandatory) for s in words["group_command"]] == [
        ("target", "string", True),
        ("command", "string", False),
        ("parameters", "string", False),
    ]


@pytest.mark.parametrize(("plans", "body"), [("walking", "mock"), ("maeden", "maeden")])
def test_file_speaks_of_skills_and_parameters_that_the_body_has(plans, body):
    file = read_plan_file(PLANS / f"{plans}.yaml")
    skills = read_body(ROOT / f"config/bodies/{body}.yaml").skills
    assert file.skills() <= set(skills)
    for step in (step for steps in file.steps.values() for step in steps if step.skill):
        assert {*step.taken, *step.given} <= {p.name for p in skills[step.skill].parameters}, step
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
        ("actions: {drop: [{skill: a, turn: b}]}", "exactly one of skill"),
        ("actions: {drop: [{turn: target}]}", "unknown parameter of drop 'target'"),
        ("actions: {say: [{skill: say, with: {text: mesage}}]}", "'mesage'; did you mean 'message'"),
        ("actions: {drop: [{skill: a, wiht: {}}]}", "unknown key 'wiht'"),
        ("actions: {}\nturn: left", "'left'"),
        ("actions: {}\ngait: {left: 1}", "not a text"),
        ("actions: {}\ngait: {legs: 1}", "unknown key 'legs'"),
        ("actions: {}\nvocabulary: {dig: '[depth:metres]'}", "name:type"),
        ("gait: {}", "actions: missing"),
        ("actions: {wag: [{skill: a}]}\nrepeated: [wagg]", "'wagg'; did you mean 'wag'"),
        ("actions: {wag: [], drop: [{skill: a}]}\nrepeated: [drop]", "'drop'"),
        ("actions: {say: [{skill: say, offer: {text: mesage}}]}", "'mesage'; did you mean 'message'"),
        ("actions: {kick: [{skill: kick, again: it}]}", "'it'"),
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
    actions: {dig: [{skill: walk, with: {x: where.x}}, {skill: dig, with: {depth: depth, x: where.x}}]}
    """
    given = (Parameter("vector", vector=(0.0, 0.0, 0.0)), number("0.5"))
    skills = {name: SkillInfo(name, "walk", (), 1.0, 1.0, ("x", "depth")) for name in ("walk", "dig")}
    made = node(Action("dig", 1, given), parse_plan_file(text, "x.yaml"), skills)
    assert made == sequence(body("walk", x=0.0), body("dig", depth=0.5, x=0.0))


def test_file_in_the_documents_can_be_read():
    page = (ROOT / "docs/plans.md").read_text(encoding="utf-8")
    text = page.split("```yaml\n")[1].split("```")[0]
    assert "dig" in parse_plan_file(text, "docs/plans.md").steps
