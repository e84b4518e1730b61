# SPDX-License-Identifier: Apache-2.0
"""XML documents to events: the nine printed examples, plans of real programs, and everything of 2008."""

from pathlib import Path

import pytest

from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml.parts import (
    ActionSignal,
    Entity,
    Level,
    MapData,
    Param,
    Perception,
    PlanAction,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_documents import read
from embodiment_bridge.wire.codec import Malformed, Unknown

DATA = Path(__file__).parents[2] / "data/opencog"
BRAIN = 'xmlns:oc="http://www.opencog.org/brain"'
TARGET = Param("vector", "target", vector=Vector(339213.0, -152664.0, 0.0))
WALK = (TARGET, Param("float", "speed", "2.5"))


def seed(name):
    """The first event of interest of a printed example."""
    events = read((DATA / "seed" / f"{name}.as-is.xml").read_bytes())
    return events[-1]


def envelope(inner, root="oc:embodiment-msg"):
    return read(f"<{root} {BRAIN}>{inner}</{root}>".encode())


def test_printed_map_info():
    found = seed("01-map-info")
    assert (found.global_position_x, found.global_position_y) == (319084, -193599)
    assert found.global_position_offset == 67400
    (blip,) = found.blips  # the second is a placeholder
    assert blip.timestamp == "2009-11-20T19:37:49.631"
    assert blip.entity == Entity("83965", "pet", "Fido", "7270", "Suzy")
    assert blip.position == Vector(339213.0, -152664.0, 0.0)
    assert blip.rotation == Rotation(0.0, -3.141592653589793, 1.3587255595480952)
    assert blip.velocity == Vector(0.0, 0.0, 0.0)
    assert dict(blip.properties) == {
        "visibility-status": "visible",
        "width": "100.00",
        "length": "200.00",
        "height": "200.00",
        "detector": "true",
        "remove": "true",
    }


def test_printed_feelings():
    found = seed("02-emotional-feeling")
    assert found.entity_id == "83965"
    assert found.feelings[1] == Level("excitement", 0.771563)
    assert len(found.feelings) == 8


def test_printed_plan():
    sniff = Param("entity", "target", entity=Entity("7270", "avatar"))
    actions = (PlanAction("walk", 1, WALK), PlanAction("drop", 2), PlanAction("sniffAt", 3, (sniff,)))
    assert seed("03-action-plan") == ev.ActionPlan("2", "83965", "", actions)


def test_printed_communication():
    assert seed("04-communication") == ev.Communication("1111", "3242342342", "hello world!")


def test_printed_perception_without_its_wrapper():
    expected = (Perception("visibility", "0 1 1 3 6;1 1 2", "map"),)
    assert seed("05-agent-sensor-info") == ev.AgentSensorInfo(expected)


def test_printed_agent_signal_with_the_wrong_end():
    expected = (ActionSignal("walk", params=WALK),)
    assert seed("06-agent-signal") == ev.AgentSignal("65", "2009-11-20T19:37:45.641", actions=expected)


def test_printed_needs():
    levels = (Level("hunger", 4.340277777777778e-05), Level("thirst", 6.365740740740742e-05))
    expected = ev.AvatarSignal("83965", "2009-11-20T19:37:45.641", levels=levels)
    assert seed("07-avatar-signal-physiology") == expected


@pytest.mark.parametrize(
    ("name", "stamp", "report"),
    [
        ("08-avatar-signal-status-walk", "2009-11-20T19:37:55.658", ActionSignal("walk", "2", 1)),
        ("09-avatar-signal-status-drop", "2009-11-20T19:37:57.792", ActionSignal("drop", "3", 2)),
    ],
)
def test_printed_reports(name, stamp, report):
    assert seed(name) == ev.AvatarSignal("83965", stamp, actions=(report,))


@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "seed").glob("*.xml")))
def test_every_form_of_the_examples_is_read_alike(name):
    printed = read((DATA / "seed" / f"{name.split('.')[0]}.as-is.xml").read_bytes())
    assert read((DATA / "seed" / name).read_bytes()) == printed


@pytest.mark.parametrize(
    ("text", "value"),
    [("339213", 339213.0), ("1.23457e+06", 1234570.0), ("-0", 0.0), ("1E-5", 1e-5), (" 2.5 ", 2.5)],
)
def test_numbers_of_real_programs(text, value):
    vector = f'<param type="vector"><vector x="{text}" y="0" z="0"/></param>'
    (plan,) = read(
        f'<action-plan id="1"><action name="walk" sequence="1">{vector}</action></action-plan>'.encode()
    )
    assert plan.actions[0].params[0].vector == Vector(value, 0.0, 0.0)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "", "x", "1,5"])
def test_parameter_that_cannot_be_read_is_told_with_its_text_and_the_plan_is_there(text):
    vector = f'<param type="vector"><vector x="{text}" y="0" z="0"/></param>'
    plan, fault = read(
        f'<action-plan id="1"><action name="walk" sequence="1">{vector}</action></action-plan>'.encode()
    )
    assert plan.actions[0].params == (Param("vector"),)
    assert f"vector: x={text!r}" in fault.reason


@pytest.mark.parametrize(
    "root",
    [
        'oc:action-plan xmlns:oc="http://www.opencog.org/brain"',
        'pet:action-plan xmlns:pet="http://www.opencog.org/brain"',
        'pet:action-plan xmlns:pet="http://proxy.esheepco.com/brain"',
        'action-plan xmlns="http://elsewhere.example/"',
        "action-plan",
        "oc:action-plan",  # nothing declares the prefix
        'oc:action-plan xmlns:oc=" http://www.opencog.org/brain"',
    ],
)
def test_namespaces_of_a_plan_do_not_matter(root):
    name = root.split()[0]
    (plan,) = read(
        f'<{root} demand="Energy" entity-id="7" id="4"><action name="drop" sequence="3"/></{name}>'.encode()
    )
    assert plan == ev.ActionPlan("4", "7", "Energy", (PlanAction("drop", 3),))


@pytest.mark.parametrize(
    "declaration",
    [
        '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n',
        '<?xml version="1.0" encoding="UTF-8" standalone="no"\u00a0?>\n',
        '<?xml version="1.0" encoding="utf-16"?>',
        "\ufeff<?xml version='1.0'?>",
        " \n",
        "<!-- so -->",
    ],
)
def test_what_comes_before_the_root(declaration):
    (plan,) = read(f'{declaration}<oc:action-plan {BRAIN} id="4" entity-id="7"/>'.encode())
    assert plan == ev.ActionPlan("4", "7")


def test_bytes_that_are_no_utf8_are_latin_1():
    data = '<action-plan id="1"><action name="say" sequence="1"><param type="string" value="é"/></action></action-plan>'
    for encoding in ("utf-8", "latin-1", "utf-16"):
        (plan,) = read(data.encode(encoding))
        assert plan.actions[0].params[0].value == "é"


def test_parallel_actions_are_flattened():
    both = '<action name="b" sequence="2"/><action name="c" sequence="2"/>'
    inner = f'<action name="a" sequence="1"/><parallel>{both}</parallel>'
    (plan,) = read(f'<action-plan id="1">{inner}<action name="d"/></action-plan>'.encode())
    assert [(a.name, a.sequence, a.parallel) for a in plan.actions] == [
        ("a", 1, 0),
        ("b", 2, 1),
        ("c", 2, 1),
        ("d", 3, 0),
    ]


def test_demands_and_single_commands():
    levels = '<demand name="Energy" value="0.5"/><demand name="Water" value="1e-05"/>'
    (found,) = read(f'<oc:psi-demand {BRAIN} entity-id="7">{levels}</oc:psi-demand>'.encode())
    assert found == ev.PsiDemand("7", (Level("Energy", 0.5), Level("Water", 1e-05)))
    inner = '<param name="x" type="int" value="1"/><param name="t" value="a"/>'
    start = '<single-action-command name="MoveToCoordinate" xmlns="http://www.opencog.org/brain">'
    (found,) = read(f"{start}{inner}</single-action-command>".encode())
    assert found == ev.SingleActionCommand(
        "MoveToCoordinate", (Param("int", "x", "1"), Param("string", "t", "a"))
    )


OLD = [
    (
        '<pet-signal pet-id="1" name="hunger" timestamp="t">'
        '<param name="level" type="float" value="0.5"/></pet-signal>',
        ev.AvatarSignal("1", "t", levels=(Level("hunger", 0.5),)),
    ),
    (
        '<pet-signal pet-id="1" timestamp="t" action-plan-id="4" status="error" sequence="2" name="walk"/>',
        ev.AvatarSignal("1", "t", actions=(ActionSignal("walk", "4", 2, "error"),)),
    ),
    (
        '<pet-signal pet-id="1" timestamp="t" action-plan-id="4" status="done"/>',
        ev.AvatarSignal("1", "t", actions=(ActionSignal("", "4"),)),
    ),
    (
        '<pet-signal pet-id="1" name="bark" timestamp="t" sequence="2"><param type="float" value="1"/></pet-signal>',
        ev.AvatarSignal("1", "t", actions=(ActionSignal("bark", params=(Param("float", "", "1"),)),)),
    ),
    (
        '<agent-signal agent-id="9" agent-type="pet" name="bark" timestamp="t">'
        '<param type="float" value="1"/></agent-signal>',
        ev.AgentSignal("9", "t", "pet", (ActionSignal("bark", params=(Param("float", "", "1"),)),)),
    ),
    (
        '<avatar-signal avatar-id="9" name="grab" timestamp="t"/>',
        ev.AgentSignal("9", "t", "avatar", (ActionSignal("grab"),)),
    ),
    (
        '<object-signal object-id="9" name="roll" timestamp="t"/>',
        ev.AgentSignal("9", "t", "object", (ActionSignal("roll"),)),
    ),
    (
        '<instruction pet-id="1" avatar-id="9" timestamp="t"><value>sit</value></instruction>',
        ev.Instruction("1", "9", "t", "sit"),
    ),
    (
        '<instruction avatar-id="1" from-id="9" timestamp="t" content-type="QUESTION" target-mode="ANY">'
        '<sentence length="4"> why</sentence></instruction>',
        ev.Instruction("1", "9", "t", "why", "QUESTION"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), OLD)
def test_forms_of_other_years(text, expected):
    message, found = envelope(text)
    assert found == expected
    assert message == ev.EmbodimentMsg("legacy-2008" if "pet-signal" in text else "seed", children=1)


def test_attributes_of_a_blip_are_properties():
    blip = '<blip timestamp="t" width="3" remove="true"><entity type="acessory"/><position x="1" y="2" z="3"/></blip>'
    _, found = envelope(f'<map-info global-position-x="0" global-position-y="0.0">{blip}</map-info>')
    (thing,) = found.blips
    assert thing.properties == (("width", "3"), ("remove", "true"))
    assert thing.entity == Entity("-1", "accessory")
    assert (thing.velocity, thing.rotation) == (Vector(0.0, 0.0, 0.0), Rotation(0.0, 0.0, 0.0))


MAP = '<map-info global-position-x="0" global-position-y="0">'
BAD_CHILDREN = {
    "no id": '<avatar-signal timestamp="t"/>',
    "no time stamp": '<avatar-signal id="1"/>',
    "status": '<avatar-signal id="1" timestamp="t"><action name="a" status="running"/></avatar-signal>',
    "negative sequence": '<avatar-signal id="1" timestamp="t"><action name="a" sequence="-1"/></avatar-signal>',
    "half a sequence": '<avatar-signal id="1" timestamp="t"><action name="a" sequence="1.5"/></avatar-signal>',
    "sequence of Python": '<avatar-signal id="1" timestamp="t"><action name="a" sequence="1_0"/></avatar-signal>',
    "huge corner": '<map-info global-position-x="1e300" global-position-y="0"/>',
    "first time": '<map-info global-position-x="0" global-position-y="0" is-first-time-percept-world="so"/>',
    "no sentence": '<instruction avatar-id="1" from-id="9" timestamp="t"/>',
    "no state": '<state-info object-id="4" object-type="object" state-name="s" timestamp="t"/>',
}


@pytest.mark.parametrize("name", BAD_CHILDREN)
def test_bad_child_is_told_and_the_others_are_read(name):
    good = '<communication source-id="1" timestamp="t">a</communication>'
    _, bad, found = envelope(BAD_CHILDREN[name] + good)
    assert isinstance(bad, Malformed)
    assert bad.reason
    assert found == ev.Communication("1", "t", "a")


GOOD_BLIP = '<blip timestamp="t"><entity id="ball"/></blip>'
BAD_BLIPS = {
    "blip: there is no entity": '<blip timestamp="t"><position x="0" y="0" z="0"/></blip>',
    "is not a finite number": '<blip timestamp="t"><entity/><position x="1" y="nan" z="3"/></blip>',
    "'timestamp' is missing": "<blip><entity/></blip>",
}


@pytest.mark.parametrize("reason", BAD_BLIPS)
def test_a_bad_blip_loses_that_blip(reason):
    message, found, bad = envelope(f"{MAP}{GOOD_BLIP}{BAD_BLIPS[reason]}{GOOD_BLIP}</map-info>")
    assert [blip.entity.id for blip in found.blips] == ["ball", "ball"]
    assert message.children == 2
    assert reason in bad.reason
    assert bad.excerpt == "<blip>"


def test_a_bad_level_loses_that_level():
    inner = '<feeling name="joy" value="0.5"/><feeling name="fear" value="much"/><feeling value="1"/>'
    found, *bad = read(f'<emotional-feeling entity-id="7">{inner}</emotional-feeling>'.encode())
    assert found == ev.EmotionalFeeling("7", (Level("joy", 0.5),))
    assert [one.reason for one in bad] == [
        "feeling: value='much' is not a finite number",
        "feeling: attribute 'name' is missing",
    ]


def test_payload_that_is_no_base64_keeps_its_text():
    inner = '<map-info global-position-x="0" global-position-y="0"><map-data>\u00e9</map-data></map-info>'
    assert envelope(inner)[1].map_data == (MapData(undecoded="\u00e9".encode()),)


def test_value_of_a_parameter_may_be_inside():
    inner = '<action name="a" sequence="1"><param name="x"><value>b</value></param></action>'
    (plan,) = read(f'<action-plan id="4">{inner}</action-plan>'.encode())
    assert plan.actions[0].params == (Param("string", "x", "b"),)


def test_many_bad_parts_are_summed_up():
    _, found, *bad = envelope(f"{MAP}{'<blip><entity/></blip>' * 1000}</map-info>")
    assert found.blips == ()
    assert len(bad) == 21
    assert bad[-1].reason == "980 more parts cannot be used"


@pytest.mark.parametrize("number", ["0", "-1", "x", "nan", "1e99"])
def test_a_bad_number_loses_that_action(number):
    inner = f'<action name="a" sequence="1"/><action name="b" sequence="{number}"/><action name="c" sequence="3"/>'
    plan, bad = read(f'<action-plan id="4">{inner}</action-plan>'.encode())
    assert [(action.name, action.sequence) for action in plan.actions] == [("a", 1), ("c", 3)]
    assert (bad.plan_id, bad.name, bad.sequence) == ("4", "b", 2)
    assert f"sequence={number}" in bad.reason.replace("'", "")


def test_a_lost_action_has_no_number_that_another_has():
    inner = '<action name="a" sequence="x"/><action name="b" sequence="1"/>'
    plan, bad = read(f'<action-plan id="4">{inner}</action-plan>'.encode())
    assert (plan.actions[0].sequence, bad.sequence) == (1, None)


def test_unknown_children_are_named():
    message, _ = envelope('<smell strength="1"/><communication source-id="1" timestamp="t"/>')
    assert message.skipped == ("smell",)


def test_unknown_parts_of_a_message_are_passed_over():
    inner = '<smell/><action name="a"/><smell/><physiology-level name="hunger" value="0.5"/>'
    _, found = envelope(f'<avatar-signal id="1" timestamp="t">{inner}</avatar-signal>')
    assert found == ev.AvatarSignal("1", "t", None, (ActionSignal("a"),), (Level("hunger", 0.5),))


def test_unknown_root_keeps_its_bytes():
    data = b'<?xml version="1.0"?><smell/>'
    assert read(data, offset=3) == (Unknown(3, data),)


def test_dialect_is_found_or_told():
    final = '<map-info global-position-x="0" global-position-y="0" is-first-time-percept-world="true"/>'
    assert envelope(final)[0].dialect == "final"
    assert envelope("", root="oc:petaverse-msg")[0].dialect == "legacy-2008"
    assert read(b"<embodiment-msg/>", dialect="final")[0].dialect == "final"
