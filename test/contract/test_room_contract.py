# SPDX-License-Identifier: Apache-2.0
"""What every protocol says of itself: names, parameters, outputs, and that its parts are there."""

import re
from inspect import signature

import pytest
from contract_rooms import NAMES, with_body

from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.base.bridge_node import AUTOSTART
from embodiment_bridge.nodes.base.parameters import descriptor
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.agent_bridge import PARAMETERS
from embodiment_bridge.protocols import registry

NAME = re.compile(r"[a-z][a-z0-9_]*")
TOPIC = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*")
UNIT = re.compile(r"\b(s|ms|Hz|m|mm|m/s|rad|rad/s|deg|degrees|N|Nm|kg|V|A|percent|share|factor)\b")

PROTOCOLS = pytest.mark.parametrize("name", NAMES)


def parameters():
    return [(name, parameter) for name in NAMES for parameter in registry.spec(name).parameters]


def ids(value):
    return getattr(value, "name", value)


def test_there_are_protocols():
    assert {"dummy", "rcsssmj"} <= set(NAMES)
    assert {"dummy", "rcsssmj"} <= set(with_body())


@PROTOCOLS
def test_protocol_has_the_name_it_is_registered_under(name):
    spec = registry.spec(name)
    assert spec.name == name
    assert NAME.fullmatch(name)
    assert len(spec.summary) > 10


@PROTOCOLS
def test_codec_is_there_and_needs_no_arguments(name):
    codec = registry.codec(name)
    assert codec.feed(b"") == []
    assert codec.close() == []


@PROTOCOLS
def test_codec_names_its_optional_arguments(name):
    kinds = [
        parameter.kind.name for parameter in signature(resolve(registry.spec(name).codec)).parameters.values()
    ]
    assert not {"VAR_POSITIONAL", "VAR_KEYWORD"} & set(kinds)


@PROTOCOLS
def test_parameter_names_are_distinct_and_not_those_of_the_node(name):
    names = [parameter.name for parameter in registry.spec(name).parameters]
    assert len(set(names)) == len(names)
    assert not set(names) & {parameter.name for parameter in (*PARAMETERS, AUTOSTART)}


@pytest.mark.parametrize("name", with_body())
def test_there_is_a_port_to_connect_to(name):
    spec = registry.spec(name)
    ports = {p.name: p.lower for p in spec.parameters if type(p.default) is int and p.upper == 65535}
    assert ports["port"] == 1
    assert not spec.probe or ports[spec.probe] in (0, 1)  # 0: there is none


@pytest.mark.parametrize(("name", "parameter"), parameters(), ids=ids)
def test_parameter_is_described(name, parameter):
    assert NAME.fullmatch(parameter.name)
    assert re.fullmatch(r"[A-Z].{8,}\.", parameter.description)
    if isinstance(parameter.default, float):
        assert UNIT.search(parameter.description), "the description names no unit"


@pytest.mark.parametrize(("name", "parameter"), parameters(), ids=ids)
def test_parameter_has_a_range_or_choices_that_its_default_is_in(name, parameter):
    if isinstance(parameter.default, bool):
        assert parameter.lower is parameter.upper is None
    elif isinstance(parameter.default, int | float):
        assert parameter.lower is not None
        assert parameter.upper is not None
        assert parameter.lower <= parameter.default <= parameter.upper
    assert not parameter.choices or parameter.default in parameter.choices


@pytest.mark.parametrize(("name", "parameter"), parameters(), ids=ids)
def test_parameter_has_a_ros_descriptor(name, parameter):
    assert descriptor(parameter).description.startswith(parameter.description)


@PROTOCOLS
def test_outputs_are_topics_with_a_type_and_a_role(name):
    topics = []
    for output in registry.spec(name).topics():
        assert TOPIC.fullmatch(output.topic), "topics are relative names"
        assert resolve(output.type).get_fields_and_field_types()
        assert profile(output.role).depth > 0
        topics.append(output.topic)
    assert len(set(topics)) == len(topics)


@PROTOCOLS
def test_inputs_are_topics_and_services_with_a_type(name):
    spec = registry.spec(name)
    names = [item.name for item in (*spec.inputs, *spec.services)]
    assert len(set(names)) == len(names)
    assert all(TOPIC.fullmatch(name) for name in names)
    for item in spec.inputs:
        assert resolve(item.type).get_fields_and_field_types()
    for item in spec.services:
        assert {"success", "message"} <= set(resolve(item.type).Response.get_fields_and_field_types())


@PROTOCOLS
def test_commands_of_inputs_take_the_values_of_the_message(name):
    spec = registry.spec(name)
    messages = [(item, resolve(item.type)) for item in spec.inputs]
    messages += [(item, resolve(item.type).Request) for item in spec.services]
    for item, message in messages:
        if ":" in item.command:
            assert callable(resolve(item.command))
        elif item.command:
            (kind,) = (kind for kind in resolve(spec.commands) if kind.__name__ == item.command)
            signature(kind).bind(*message.get_fields_and_field_types())
