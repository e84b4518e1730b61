# SPDX-License-Identifier: Apache-2.0
"""Degrees to radians, and tilt up to tilt down."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.dummy.codec import HeadCodec
from embodiment_bridge.protocols.dummy.convert import HeadConverter
from embodiment_bridge.protocols.dummy.events import Greet, Hello, Joints, SetJoints

BODY = read_body(Path(__file__).parents[3] / "config/bodies/dummy.yaml")
ZERO = (0.0, 0.0)


@pytest.fixture
def converter():
    return HeadConverter({"client": "bridge"}, BODY)


def targets(pan, tilt):
    return JointTargets((pan, tilt), ZERO, ZERO, ZERO, ZERO)


def answer(converter, pan, tilt):
    return converter.answer(Cycle(Joints(0, 0.0, 0.0, 0.0), BodyState(0.0, ZERO, ZERO), targets(pan, tilt)))


def test_greets_with_the_parameter(converter):
    assert converter.handshake() == [Greet("bridge")]


def test_left_and_up_on_the_wire_is_left_and_negative_in_ros(converter):
    state = converter.body_state(Joints(0, pan_deg=90.0, tilt_deg=45.0, time_s=4.02))
    assert state.time == 4.02
    assert state.position == pytest.approx((math.pi / 2, -math.pi / 4))
    assert not state.has_base
    assert all(math.isnan(value) for value in state.velocity)


def test_positive_tilt_in_ros_is_down_on_the_wire(converter):
    (command,) = answer(converter, math.pi / 4, math.pi / 6)
    assert (command.pan_deg, command.tilt_deg) == pytest.approx((45.0, -30.0))


@given(st.floats(-1.5, 1.5), st.floats(-0.75, 0.75))
def test_there_and_back_is_the_same(pan, tilt):
    converter = HeadConverter({"client": "bridge"}, BODY)
    (command,) = answer(converter, pan, tilt)
    state = converter.body_state(Joints(0, command.pan_deg, command.tilt_deg, 0.0))
    assert state.position == pytest.approx((pan, tilt), abs=1e-12)


def test_ends_of_the_ranges_can_be_sent(converter):
    pan, tilt = BODY.joints
    for ends in ((pan.lower, tilt.lower), (pan.upper, tilt.upper)):
        (command,) = answer(converter, *ends)
        assert HeadCodec().encode(command)


def test_joint_states_have_what_was_sensed(converter):
    event = Joints(0, 10.0, 20.0, 1.0)
    stamp = Time(sec=5)
    ((topic, message),) = converter.messages(Cycle(event, converter.body_state(event)), stamp)
    assert topic == "joint_states"
    assert message.header.stamp == stamp
    assert message.name == ["head_pan", "head_tilt"]
    assert list(message.position) == pytest.approx([math.radians(10.0), -math.radians(20.0)])
    assert not message.velocity
    assert not message.effort


def test_hello_says_nothing_of_the_body(converter):
    assert converter.body_state(Hello(0, "head")) is None
    assert converter.answer(Cycle(Hello(0, "head"))) == []
    assert list(converter.messages(Cycle(Hello(0, "head")), Time())) == []


def test_body_with_other_joints_is_refused():
    other = replace(BODY, joints=BODY.joints[::-1])
    with pytest.raises(ConfigError, match=r"body 'dummy' has the joints .*; a dummy head has .*'head_pan'"):
        HeadConverter({"client": "bridge"}, other)


def test_commands_of_the_converter_are_those_of_the_codec(converter):
    (command,) = answer(converter, 0.0, 0.0)
    assert command == SetJoints(0.0, -0.0)
    assert HeadCodec().encode(command) == b"set pan 0.000 tilt -0.000\n"
