# SPDX-License-Identifier: Apache-2.0
"""Messages to XML: valid in their dialect, read back the same."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from xml_messages import SIGNAL, T

from embodiment_bridge.protocols.opencog.plans.plan_ledger import action_report
from embodiment_bridge.protocols.opencog.xml import events as ev
from embodiment_bridge.protocols.opencog.xml.parts import (
    ActionSignal,
    Entity,
    Level,
    Param,
    PlanAction,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_documents import dialect_of, read, write, write_brain
from embodiment_bridge.standins.oac.intake import validate
from embodiment_bridge.wire.json_text import command_from_json

ROOT = Path(__file__).parents[3]
LINES = (ROOT / "test/data/opencog_xml/samples/commands.jsonl").read_text().splitlines()
SAMPLES = [command_from_json(json.loads(line), ev.COMMANDS) for line in LINES]
PROXY = [sample for sample in SAMPLES if type(sample) in ev.PROXY_MESSAGES]
BRAIN = [sample for sample in SAMPLES if type(sample) in ev.BRAIN_MESSAGES]
REAL = ROOT / "../shared/data/opencog/xsd"


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
    assert envelope.dialect == "seed"
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


def test_an_observed_action_has_no_status():
    assert b"status" not in write([ev.AgentSignal("1", T, None, (ActionSignal("walk"),))])


def test_reason_of_an_error_is_a_parameter():
    report = action_report("1", T, "4", "walk", "error", 1, 'no "way" <here>\n' + "x" * 500)
    data = write([report])
    assert validate(data, "seed") == []
    (reason,) = read(data)[1].actions[0].params
    assert reason.value.startswith('no "way" <here>\nx')
    assert len(reason.value) == 200


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


def test_an_oac_is_not_held_to_the_range_of_feelings():
    message = ev.EmotionalFeeling("7", (Level("joy", 1.5),))
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
