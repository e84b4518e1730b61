# SPDX-License-Identifier: Apache-2.0
"""Messages to XML: valid in their dialect, read back the same; what cannot be written is refused by name."""

import json
from base64 import b64encode
from contextlib import suppress
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.opencog.plans.reports import action_report
from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml import map_payload
from embodiment_bridge.protocols.opencog.xml.parts import (
    ActionSignal,
    Availability,
    Blip,
    Entity,
    Level,
    MapData,
    MapThing,
    Param,
    Perception,
    PlanAction,
    Rotation,
    ValueList,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_reader import read
from embodiment_bridge.protocols.opencog.xml.xml_writer import dialect_of, write, write_brain
from embodiment_bridge.standins.oac.validator import validate
from embodiment_bridge.wire.events import Malformed
from embodiment_bridge.wire.json_commands import command_from_json

ROOT = Path(__file__).parents[3]
T = "2011-08-20T10:00:00.500"
LINES = (ROOT / "test/data/opencog_xml/samples/commands.jsonl").read_text().splitlines()
SAMPLES = [command_from_json(json.loads(line), ev.COMMANDS) for line in LINES]
PROXY = [sample for sample in SAMPLES if type(sample) in ev.PROXY_MESSAGES]
BRAIN = [sample for sample in SAMPLES if type(sample) in ev.BRAIN_MESSAGES]
REAL = ROOT / "../shared/data/opencog/xsd"
HERE = Vector(1.0, 2.0, 3.0)


def name(value):
    return type(value).__name__


@pytest.mark.parametrize("message", PROXY, ids=name)
def test_what_is_written_is_valid_and_read_back_the_same(message):
    dialect = dialect_of(message)
    data = write([message], dialect)
    assert validate(data, dialect) == []
    assert read(data) == (ev.EmbodimentMsg(dialect_of_document(message), children=1), message)


def dialect_of_document(message):
    """What a document alone shows; signals of the dialect final look like those of others."""
    final = dialect_of(message) == "final" and not isinstance(message, ev.AvatarSignal | ev.AgentSignal)
    return "final" if final else "seed"


@pytest.mark.parametrize(("dialect", "folder"), [("final", "."), ("seed", "seed-era-2011-08-08")])
def test_what_is_written_is_valid_for_the_original_schemas(dialect, folder):
    path = REAL / folder / "BrainProxyAxon.xsd"
    if not path.is_file():
        pytest.skip("OpenCog's schemas are not here")
    schema = etree.XMLSchema(etree.parse(path))
    written = [
        message
        for message in PROXY
        if dialect_of(message) in ("seed", dialect) and writable(message, dialect)
    ]
    assert len(written) >= 5
    schema.assertValid(etree.fromstring(write(written, dialect)))


def writable(message, dialect):
    return not isinstance(message, ev.MapInfo) or dialect_of(message) == dialect


@pytest.mark.parametrize("dialect", ev.DIALECTS)
def test_several_messages_are_one_document(dialect):
    messages = [action_report("fido", T, "4", "walk", "done", 1), ev.Instruction("fido", "suzy", T, "sit")]
    data = write(messages, dialect, request_id="7")
    assert validate(data, dialect) == []
    envelope, *found = read(data)
    assert envelope.request_id == "7"
    assert envelope.dialect == ("legacy-2008" if dialect == "legacy-2008" else "seed")
    assert found == messages


def test_no_message_is_a_document_too():
    assert validate(write([]), "seed") == []
    assert read(write([])) == (ev.EmbodimentMsg("seed"),)


REPORTS = [
    (action_report("1", T, "4", "walk", "done", 2), 'name="walk" plan-id="4" sequence="2" status="done"/>'),
    (action_report("1", T, "4", "walk", "error"), 'name="walk" plan-id="4" status="error"/>'),
    (action_report("1", T, "4", "", "error"), 'name="4" plan-id="4" status="error"/>'),
]


@pytest.mark.parametrize(("report", "text"), REPORTS)
def test_reports(report, text):
    assert f"<action {text}".encode() in write([report])


def test_reason_of_an_error_is_a_parameter():
    report = action_report("1", T, "4", "walk", "error", 1, 'no "way" <here>\n' + "x" * 500)
    data = write([report])
    assert validate(data, "seed") == []
    (reason,) = read(data)[1].actions[0].params
    assert reason.value.startswith('no "way" <here>\nx')
    assert len(reason.value) == 200


def test_2008_has_one_signal_for_each_thing():
    signal = ev.AvatarSignal("1", T, None, (ActionSignal("walk", "4", 2),), (Level("hunger", 0.5),))
    data = write([signal, action_report("1", T, "4", "x", "error")], "legacy-2008")
    assert validate(data, "legacy-2008") == []
    _, report, level, whole = read(data)
    assert report == replace(signal, levels=())
    assert level == replace(signal, actions=())
    assert whole.actions == (ActionSignal("", "4", None, "error"),)


def test_signals_of_2008_without_a_plan_come_back():
    bark = ActionSignal("bark", params=(Param("float", "", "1"),))
    own = ev.AvatarSignal("1", T, "pet", (bark,))
    others = ev.AgentSignal("9", T, "pet", (bark,))
    assert read(write([own, others], "legacy-2008"))[1:] == (replace(own, type=None), others)


def test_properties_of_2008_are_attributes_and_others_are_left_out():
    thing = blip(properties=(("width", "3"), ("smell", "good")))
    data = write([seed_map(blips=(thing,))], "legacy-2008")
    assert b'width="3"' in data
    assert b"smell" not in data


def test_parameter_of_nothing_comes_back():
    message = replace(SIGNAL, actions=(ActionSignal("a", params=(Param("nil", "x"),)),))
    assert read(write([message]))[1] == message


def test_block_without_a_wish_to_know_its_structure():
    message = ev.BlockStructureSignal(T, None, 1, 2, 3)
    assert b"recognize-structure=" not in write([message], "final")
    assert read(write([message], "final"))[1] == message


def test_plans_of_every_kind_of_parameter_and_of_nothing_come_back():
    params = (
        Param("rotation", "r", rotation=Rotation(0.5, 0.25, -1.0)),
        Param("entity", "e", entity=Entity("7", "pet")),
        Param("string", "s", "x"),
    )
    for actions in ((), (PlanAction("look", 1, params),)):
        plan = ev.ActionPlan("4", "7", "Energy", actions)
        assert read(write_brain(plan)) == (plan,)


@pytest.mark.parametrize("message", BRAIN, ids=name)
def test_what_an_oac_sends_is_read_back(message):
    assert read(write_brain(message)) == (message,)


def test_an_oac_writes_as_a_real_one():
    point = Param("vector", "target", vector=Vector(339213.4, 1234567.0, 0.0))
    plan = ev.ActionPlan(
        "4", "7", "Energy", (PlanAction("walk", 1, (point, Param("float", "speed", "2.0"))),)
    )
    assert write_brain(plan).decode() == (
        '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n'
        '<oc:action-plan xmlns:oc="http://www.opencog.org/brain" demand="Energy" entity-id="7" id="4">\n'
        "\n"
        '  <action name="walk" sequence="1">\n'
        "\n"
        '    <param name="target" type="vector">\n'
        '      <vector x="339213" y="1.23457e+06" z="0"/>\n'
        "    </param>\n"
        "\n"
        '    <param name="speed" type="float" value="2"/>\n'
        "\n"
        "  </action>\n"
        "\n"
        "</oc:action-plan>\n"
    )
    assert b'<pet:action-plan xmlns:pet="http://proxy.esheepco.com/brain" entity-id' in write_brain(
        plan, "legacy-2008"
    )


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=30
)


@settings(max_examples=100, deadline=None)
@given(said=TEXTS, name=TEXTS, x=st.floats(allow_nan=False, allow_infinity=False), level=st.floats(0, 1))
def test_any_text_and_number_comes_back(said, name, x, level):
    params = (Param("string", name, said), Param("vector", "", vector=Vector(x, -x, 0.0)))
    messages = [
        ev.AgentSignal("1", T, None, (ActionSignal("a", params=params),)),
        ev.Communication("1", said, said.strip()),
        ev.Instruction("1", "2", T, said.strip(), parsed_sentence=name.strip()),
        ev.AvatarSignal("1", T, levels=(Level(name, level),)),
    ]
    data = write(messages)
    assert b"\r" not in data
    assert validate(data, "seed") == []
    assert list(read(data)[1:]) == messages


def test_length_of_an_instruction_is_in_bytes():
    assert b'<sentence length="5">\xc3\xbc\xe2\x82\xac</sentence>' in write(
        [ev.Instruction("1", "2", T, "ü€")]
    )


def blip(**changes):
    return replace(Blip(T, Entity("1", "object"), HERE), **changes)


def seed_map(**changes):
    values = {
        "global_position_x": 0,
        "global_position_y": 0,
        "global_position_offset": 10,
        "blips": (blip(),),
    }
    return ev.MapInfo(**values | changes)


FINAL = {"is_first_time_percept_world": False, "timestamp": T}
SIGNAL = ev.AvatarSignal("1", T)
BAD = [
    (
        seed_map(blips=(blip(), blip(position=Vector(1.0, nan, 0.0)))),
        "seed",
        "MapInfo.blips[1].position.y is nan",
    ),
    (seed_map(blips=(blip(velocity=Vector(inf, 0.0, 0.0)),)), "seed", "blips[0].velocity.x is inf"),
    (seed_map(blips=(blip(rotation=Rotation(0.0, 0.0, nan)),)), "seed", "blips[0].rotation.yaw is nan"),
    (seed_map(blips=(blip(entity=Entity("a b", "object")),)), "seed", "blips[0].entity.id is 'a b'"),
    (seed_map(blips=(blip(entity=Entity("", "object")),)), "seed", "blips[0].entity.id is ''"),
    (seed_map(blips=(blip(entity=Entity("1", "dog")),)), "seed", "one of pet"),
    (seed_map(blips=(blip(timestamp="now"),)), "seed", "blips[0].timestamp is 'now'"),
    (seed_map(blips=(blip(timestamp="2007-12-31T23:59:59"),)), "seed", "from 2008 on"),
    (seed_map(blips=(blip(properties=(("a", "\x00"),)),)), "seed", "control characters"),
    (seed_map(blips=()), "seed", "at least one blip"),
    (seed_map(global_position_x=1.5), "seed", "global_position_x is 1.5"),
    (seed_map(global_position_x=2**31), "seed", "32 bits"),
    (seed_map(global_position_offset=None), "seed", "global_position_offset given"),
    (seed_map(global_position_z=0), "seed", "global_position_z None"),
    (seed_map(**FINAL), "seed", "None in this dialect"),
    (seed_map(), "final", "true or false"),
    (seed_map(map_data=(MapData(),)), "seed", "map_data empty"),
    (ev.TerrainInfo(global_position_x=0, global_position_y=0, **FINAL), "final", "at least one payload"),
    (
        seed_map(**FINAL, map_data=(MapData((MapThing("1", "", "", Vector(1e300, 0.0, 0.0)),)),)),
        "final",
        "32 bits",
    ),
    (seed_map(**FINAL, map_data=(MapData((MapThing("1", "", "", HERE),), b"x"),)), "final", "not both"),
    (ev.FinishedFirstTimePerceptTerrianSignal(T), "seed", "has no such message"),
    (replace(SIGNAL, id="a\nb"), "seed", "AvatarSignal.id is"),
    (replace(SIGNAL, type="dog"), "seed", "pet, avatar, humanoid"),
    (replace(SIGNAL, actions=(ActionSignal("a", "1", 0),)), "seed", "from 1"),
    (replace(SIGNAL, actions=(ActionSignal("a", "1", 1, "tried"),)), "seed", "done, error"),
    (replace(SIGNAL, actions=(ActionSignal(""),)), "seed", "not empty"),
    (replace(SIGNAL, actions=(ActionSignal("a", target="b"),)), "seed", "None in this dialect"),
    (replace(SIGNAL, availabilities=(Availability("a", True),)), "seed", "availabilities empty"),
    (replace(SIGNAL, availabilities=(Availability("a", True, "b"),)), "final", "target_type"),
    (replace(SIGNAL, availabilities=(Availability("a", True),)), "legacy-2008", "availabilities empty"),
    (replace(SIGNAL, levels=(Level("hunger", 1.5),)), "seed", "within 0..1"),
    (replace(SIGNAL, actions=(ActionSignal("a", params=(Param("int", "", "1.5"),)),)), "seed", "of type int"),
    (
        replace(SIGNAL, actions=(ActionSignal("a", params=(Param("float", "", "nan"),)),)),
        "seed",
        "of type float",
    ),
    (
        replace(SIGNAL, actions=(ActionSignal("a", params=(Param("boolean", "", "yes"),)),)),
        "seed",
        "true, false",
    ),
    (replace(SIGNAL, actions=(ActionSignal("a", params=(Param("vector"),)),)), "seed", "as vector"),
    (replace(SIGNAL, actions=(ActionSignal("a", params=(Param("colour"),)),)), "seed", "one of boolean"),
    (
        replace(SIGNAL, actions=(ActionSignal("a", params=(Param("list", list=ValueList("int")),)),)),
        "seed",
        "one value",
    ),
    (
        seed_map(blips=(blip(properties=(("a", "b", "c"),)),)),
        "seed",
        "properties[0] is ('a', 'b', 'c')",
    ),
    (seed_map(blips=(blip(position=Vector(10**400, 0.0, 0.0)),)), "seed", "blips[0].position.x is 1000"),
    (seed_map(blips=(blip(position=Vector("x", 0.0, 0.0)),)), "seed", "blips[0].position.x is 'x'"),
    (seed_map(**FINAL, map_data=(3,)), "final", "map_data[0] is 3; it must be MapData"),
    (ev.AgentSensorInfo(()), "seed", "at least one perception"),
    (ev.AgentSensorInfo((Perception("a", None),)), "seed", "perceptions[0].signal is None"),
    (ev.AgentSignal("1", T, levels=(Level("a", 0.5),)), "legacy-2008", "levels and availabilities empty"),
    (ev.EmbodimentMsg("seed"), "seed", "unknown command 'EmbodimentMsg'"),
    (ev.PsiDemand("1"), "seed", "unknown command 'PsiDemand'"),
    (Malformed(0, "x"), "seed", "unknown command"),
    (SIGNAL, "sed", "unknown dialect 'sed'; did you mean 'seed'"),
]


@pytest.mark.parametrize(("message", "dialect", "words"), BAD)
def test_what_cannot_be_written_is_refused_by_name(message, dialect, words):
    with pytest.raises(CommandError) as caught:
        write([SIGNAL, message], dialect)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (ev.ActionPlan("1", "2", "", (PlanAction("a", 0),)), "from 1"),
        (ev.ActionPlan("1", "2", "", (PlanAction("a", 1, (Param("float", "", "x"),)),)), "finite number"),
        (ev.ActionPlan("1", "2", "", (replace(PlanAction("a", 1), parallel="x"),)), "parallel"),
        (ev.PsiDemand("1", (Level("a", nan),)), "PsiDemand.demands[0].value is nan"),
        (SIGNAL, "unknown command 'AvatarSignal'"),
    ],
)
def test_what_no_oac_could_send_is_refused(message, words):
    with pytest.raises(CommandError) as caught:
        write_brain(message)
    assert words in str(caught.value)


def test_request_id_is_a_text():
    with pytest.raises(CommandError, match="request_id"):
        write([], request_id="\x01")


THINGS = (
    MapThing("1", "b", "c", HERE, Rotation(0.5, 0.25, -1.0), HERE, 1.0, 2.0, 4.0, (("a", "é"),), 8.0),
    MapThing("2", "", "structure", HERE),
)


def test_payload_comes_back():
    assert map_payload.decode(map_payload.encode(THINGS)) == THINGS
    assert map_payload.decode(b"") == ()


def test_fields_of_a_newer_payload_are_passed_over():
    inner = map_payload.encode(THINGS[1:])[2:] + b"\x62\x01x" + b"\x68\x80\x01" + b"\x71" + b"x" * 8
    assert map_payload.decode(b"\x0a" + bytes((len(inner),)) + inner) == THINGS[1:]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x0a\x00", "no position"),
        (b"\x0a\x07\x22\x05\x0d\x00\x00\xc0\x7f", "nan is not a finite number"),
        (b"\x0b", "wire type 3 at byte 1 is not known"),
        (b"\x02\x00", "field number 0"),
        (b"\x0a\x05a", "field 1 at byte 2 is cut off"),
        (b"\x80", "number at byte 1 is cut off"),
        (b"\xff" * 11, "number at byte 10 is too long"),
    ],
)
def test_payload_that_is_none_is_refused(data, words):
    with pytest.raises(ValueError, match=words):
        map_payload.decode(data)


def test_payload_is_that_of_protobuf():
    thing = MapThing("a", "b", "c", Vector(1.0, 2.0, -0.5), properties=(("k", "v" * 200),))
    inner = (
        b"\x0a\x01a\x12\x01b\x1a\x01c"
        b"\x22\x0f\x0d\x00\x00\x80\x3f\x15\x00\x00\x00\x40\x1d\x00\x00\x00\xbf"
        b"\x32\x0f\x0d\x00\x00\x00\x00\x15\x00\x00\x00\x00\x1d\x00\x00\x00\x00"
        b"\x3d\x00\x00\x00\x00\x45\x00\x00\x00\x00\x4d\x00\x00\x00\x00"
        b"\x52\xce\x01\x0a\x01k\x12\xc8\x01" + b"v" * 200
    )
    assert map_payload.encode([thing]) == b"\x0a" + bytes((len(inner) & 0x7F | 0x80, len(inner) >> 7)) + inner


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=60), place=st.integers(0, 200), piece=st.binary(min_size=1, max_size=4))
def test_any_payload_is_read_or_refused(data, place, piece):
    good = bytearray(map_payload.encode(THINGS))
    good[place : place + len(piece)] = piece
    for payload in (data, bytes(good)):
        with suppress(ValueError):  # and nothing else
            assert isinstance(map_payload.decode(payload), tuple)


def test_payload_that_is_none_keeps_its_bytes():
    raw = "AAAA"
    place = 'global-position-x="0" global-position-y="0"'
    head = f'<terrain-info {place} is-first-time-percept-world="true" timestamp="{T}">'
    data = (
        f"<embodiment-msg>{head}<terrain-data>{raw}</terrain-data></terrain-info></embodiment-msg>".encode()
    )
    found = read(data)[1]
    assert found.terrain_data == (MapData(undecoded=b"\0\0\0"),)
    assert b"<terrain-data>AAAA</terrain-data>" in write([found], "final")


def test_payload_that_was_captured_from_a_real_proxy_is_written_byte_for_byte():
    found = list((REAL.parent / "samples_other").glob("*terrain-info-captured*.xml"))
    if not found:
        pytest.skip("OpenCog's samples are not here")
    data = found[0].read_bytes()
    (payload,) = read(data)[1].terrain_data
    assert len(payload.things) == 272
    assert dict(payload.things[0].properties)["class"] == "block"
    written = b64encode(map_payload.encode(payload.things))
    assert written in data
