# SPDX-License-Identifier: Apache-2.0
"""Wire to ROS and back: what the converter of every protocol of a body keeps."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from contract_rooms import launched, own_body, streams, with_body

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.body.agent_bridge import PARAMETERS
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.converter import Converter, Cycle
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown

pytestmark = pytest.mark.parametrize("name", with_body())

STAMP = Time(sec=12, nanosec=34)
NO_EVENTS = (Malformed(0, "reason"), Unknown(0, b"raw"), Truncated(0, 1))


class Rig:
    """A protocol with its default parameters and its body, and what the codec makes of its samples."""

    def __init__(self, name):
        self.spec = registry.spec(name)
        values = {p.name: p.default for p in (*PARAMETERS, *self.spec.parameters)}
        values.update(launched().get(name) or {"body_file": str(own_body(name))})
        self.body = read_body(Path(values["body_file"]))
        self.converter = resolve(self.spec.converter)(values, self.body)
        self.events = [event for stream in streams(name).values() for event in self.codec().feed(stream)]

    def codec(self):
        return resolve(self.spec.codec)(**self.converter.codec_options())

    def greeted_codec(self):
        codec = self.codec()
        for command in self.converter.handshake():
            assert codec.encode(command)
        return codec

    def targets(self):
        joints = self.body.joints
        zeros = (0.0,) * len(joints)
        rest, kp, kd = (tuple(getattr(joint, name) for joint in joints) for name in ("rest", "kp", "kd"))
        return JointTargets(rest, zeros, kp, kd, zeros)

    def messages(self, event):
        return self.converter.messages(Cycle(event, self.converter.body_state(event)), STAMP)

    def begin_a_skill(self):
        """A body without joints says nothing by itself: it needs one of its own skills for that."""
        if not self.body.joints:
            name, start = next(iter(self.converter.native_skills().items()))
            start(self.body.skills[name], {}, 0.0).step(0.0)


@pytest.fixture
def rig(name):
    return Rig(name)


def test_converter_has_the_methods_of_the_base_class(rig, name):
    assert isinstance(rig.converter, Converter)


def test_defaults_leave_nothing_to_warn_of(rig, name):
    assert rig.converter.warnings() in ([], ())


def test_greeting_can_be_sent(rig, name):
    rig.greeted_codec()


def test_some_event_tells_the_state_of_the_body(rig, name):
    states = [state for event in rig.events if (state := rig.converter.body_state(event)) is not None]
    assert states
    for state in states:
        assert isinstance(state, BodyState)
        assert math.isfinite(state.time)
        assert len(state.position) == len(state.velocity) == len(rig.body.joints)
        assert all(isinstance(value, float) for value in (*state.position, *state.velocity))


def test_answers_can_be_sent_with_and_without_targets(rig, name):
    codec = rig.greeted_codec()
    rig.begin_a_skill()
    answered = False
    for event in rig.events:
        state = rig.converter.body_state(event)
        for targets in [None, *([rig.targets()] if state is not None else [])]:
            sent = b"".join(
                codec.encode(command) for command in rig.converter.answer(Cycle(event, state, targets))
            )
            answered = answered or (targets is not None and bool(sent))
    assert answered, "no state of the body is answered with a command"


def test_messages_are_of_declared_topics_and_types(rig, name):
    types = {output.topic: resolve(output.type) for output in rig.spec.topics()}
    rig.greeted_codec()
    told = set()
    for event in rig.events:
        for topic, message in rig.messages(event):
            assert topic in types
            assert type(message) is types[topic]
            told.add(topic)
    assert told == set(types), (
        f"no frame in test/data/{name}/samples/*.bin gives a message for {set(types) - told}"
    )


def test_messages_have_the_stamp_they_were_given(rig, name):
    for event in rig.events:
        for topic, message in rig.messages(event):
            if hasattr(message, "header"):
                assert message.header.stamp == STAMP, topic


def test_what_is_no_event_of_the_protocol_says_nothing(rig, name):
    for event in NO_EVENTS:
        assert rig.converter.body_state(event) is None
        assert list(rig.converter.messages(Cycle(event), STAMP)) == []
        assert isinstance(rig.converter.answer(Cycle(event)), Sequence)


def test_native_skills_are_skills_of_the_body(rig, name):
    assert set(rig.converter.native_skills()) <= set(rig.body.skills)


def test_unwanted_topics_need_not_be_made_and_no_other_is(rig, name):
    rig.converter.set_demand(lambda topic: False)
    rig.greeted_codec()
    topics = {output.topic for output in rig.spec.topics()}
    assert {topic for event in rig.events for topic, _ in rig.messages(event)} <= topics


def test_request_of_no_input_is_refused(rig, name):
    with pytest.raises(CommandError, match="no_such_input"):
        rig.converter.handle_request("no_such_input", object())


def test_converter_takes_requests_where_there_are_inputs(rig, name):
    kind = resolve(rig.spec.converter)
    default = Converter.handle_request
    handles = hasattr(kind, "take") or getattr(kind, "handle_request", default) is not default
    assert handles or not (rig.spec.inputs or rig.spec.services)


def test_joint_states_name_the_joints_of_the_body(rig, name):
    for event in rig.events:
        state = rig.converter.body_state(event)
        for topic, message in rig.converter.messages(Cycle(event, state), STAMP):
            if topic == "joint_states":
                assert list(message.name) == [joint.name for joint in rig.body.joints]
                assert list(message.position) == list(state.position)
