# SPDX-License-Identifier: Apache-2.0
"""What a policy is told: each term, its scale, the history, the clock."""

from math import cos, pi, sin

import numpy as np
import pytest
from policy_stage import JOINTS, WIDTH, write

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.policy.controller import Observer

STILL = (0.0, 0.0, 0.0)
WALK = (0.5, -0.25, 0.75)
COUNT = len(JOINTS)
TERMS = ["gyro", "gravity", "velocity", "forward", "left", "turn"]


def observer_of(tmp_path, observation, width, **changes):
    arrays = {
        "layers": np.array(["linear"]),
        "0.weight": np.zeros((COUNT, width)),
        "0.bias": np.zeros(COUNT),
    }
    body = read_body(write(tmp_path, arrays, observation=observation, **changes))
    index = {joint.name: n for n, joint in enumerate(body.joints)}
    return Observer(body.carrier.policy, index), index, len(body.joints)


def sensed_of(count, **values):
    sensed = Sensed((0.0,) * count)
    zero = (0.0,) * count
    state = {"position": zero, "velocity": zero, "has_base": True} | values
    sensed.update(BodyState(0.0, **state), 0.02)
    return sensed


def test_upright_and_still(tmp_path):
    observer, _, count = observer_of(tmp_path, TERMS, 12)
    inputs = observer.inputs(sensed_of(count), WALK, frozenset())
    assert inputs.tolist() == pytest.approx([0, 0, 0, 0, 0, -1, 0, 0, 0, *WALK])
    assert inputs.dtype == np.float32


def test_gravity_turns_with_the_body(tmp_path):
    observer, _, count = observer_of(tmp_path, ["gravity"], 3)
    forward = observer.inputs(sensed_of(count, pitch=0.3), STILL, frozenset())
    assert forward.tolist() == pytest.approx([sin(0.3), 0.0, -cos(0.3)])
    right = observer.inputs(sensed_of(count, roll=0.3), STILL, frozenset())
    assert right.tolist() == pytest.approx([0.0, -sin(0.3), -cos(0.3)])


def test_velocity_is_that_of_the_last_period_in_the_frame_of_the_body(tmp_path):
    observer, _, count = observer_of(tmp_path, ["velocity"], 3)
    sensed = sensed_of(count, yaw=0.5 * pi)
    assert observer.inputs(sensed, STILL, frozenset()).tolist() == [0.0, 0.0, 0.0]
    sensed.y += 0.01
    sensed.x += 0.004
    assert observer.inputs(sensed, STILL, frozenset()).tolist() == pytest.approx([0.5, -0.2, 0.0])
    sensed.pitch = 0.5 * pi  # on its face: forward is down
    sensed.z -= 0.01
    assert observer.inputs(sensed, STILL, frozenset()).tolist() == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)
    sensed.x += 5.0
    assert observer.inputs(sensed, STILL, frozenset()).tolist() == [0.0, 0.0, 0.0]


def test_scales_count_for_each_term_and_each_value(tmp_path):
    terms = [{"term": "gyro", "scale": 0.5}, {"term": "gravity", "scale": [1.0, 2.0, 3.0]}]
    observer, _, count = observer_of(tmp_path, terms, 6)
    inputs = observer.inputs(sensed_of(count, base_rates=(1.0, 2.0, 3.0)), STILL, frozenset())
    assert inputs.tolist() == pytest.approx([0.5, 1.0, 1.5, 0.0, 0.0, -3.0])


def test_joints_are_in_the_order_of_the_network_beside_their_defaults(tmp_path):
    observer, index, count = observer_of(tmp_path, ["joint_position", "joint_velocity"], 2 * COUNT)
    position, velocity = [0.0] * count, [0.0] * count
    for n, (name, default) in enumerate(JOINTS.items()):
        position[index[name]], velocity[index[name]] = default + 0.01 * n, 0.1 * n
    sensed = sensed_of(count, position=tuple(position), velocity=tuple(velocity))
    inputs = observer.inputs(sensed, STILL, frozenset()).tolist()
    assert inputs[:COUNT] == pytest.approx([0.01 * n for n in range(COUNT)], abs=1e-6)
    assert inputs[COUNT:] == pytest.approx([0.1 * n for n in range(COUNT)], abs=1e-6)
    busy = observer.inputs(sensed, STILL, frozenset({index["Right_Shoulder_Pitch"]})).tolist()
    assert (busy[COUNT - 1], busy[-1], busy[COUNT - 2]) == (0.0, 0.0, inputs[COUNT - 2])


def test_a_joint_that_the_body_lacks_is_zero(tmp_path):
    joints = JOINTS | {"Left_Wrist": 0.3}
    arrays = {
        "layers": np.array(["linear"]),
        "0.weight": np.zeros((COUNT + 1, COUNT + 1)),
        "0.bias": np.zeros(COUNT + 1),
    }
    changes = {"joints": joints, "missing": ["Left_Wrist"], "observation": ["joint_position"]}
    body = read_body(write(tmp_path, arrays, **changes))
    observer = Observer(body.carrier.policy, {joint.name: n for n, joint in enumerate(body.joints)})
    inputs = observer.inputs(sensed_of(len(body.joints)), STILL, frozenset())
    assert (len(inputs), inputs[-1]) == (COUNT + 1, 0.0)


def test_the_last_action_is_told(tmp_path):
    observer, _, count = observer_of(tmp_path, ["last_action"], COUNT)
    observer.action = np.arange(COUNT, dtype=np.float32)
    assert observer.inputs(sensed_of(count), STILL, frozenset()).tolist() == list(range(COUNT))


@pytest.mark.parametrize(("first", "before"), [("zeros", 0.0), ("repeat", 1.0)])
def test_history_is_oldest_first(tmp_path, first, before):
    observer, _, count = observer_of(tmp_path, ["forward"], 3, history={"frames": 3, "first": first})
    sensed = sensed_of(count)
    seen = [observer.inputs(sensed, (float(n), 0.0, 0.0), frozenset()).tolist() for n in (1, 2, 3, 4)]
    assert seen == [[before, before, 1.0], [before, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]
    observer.reset()
    assert observer.inputs(sensed, (9.0, 0.0, 0.0), frozenset()).tolist()[2] == 9.0


def test_the_clock_runs_while_the_command_is_not_zero(tmp_path):
    clock = {"hz": 5.0, "right": pi, "standing": [1.0, 0.5, 0.25, 0.0]}
    observer, _, count = observer_of(
        tmp_path, ["cos_left", "cos_right", "sin_left", "sin_right"], 4, clock=clock
    )
    sensed = sensed_of(count)
    assert observer.inputs(sensed, STILL, frozenset()).tolist() == [1.0, 0.5, 0.25, 0.0]
    for n in range(4):
        phase = 2 * pi * n / 10
        wanted = [cos(phase), -cos(phase), sin(phase), -sin(phase)]
        assert observer.inputs(sensed, WALK, frozenset()).tolist() == pytest.approx(wanted, abs=1e-6)


def test_observe_of_a_file_gets_what_is_felt_and_the_command(tmp_path):
    (tmp_path / "see.py").write_text(
        "def observe(felt, command):\n    return [felt.gravity[2], command[1], *felt.joint_position]\n"
    )
    observer, _, count = observer_of(tmp_path, None, COUNT + 2, observe="see.py")
    inputs = observer.inputs(sensed_of(count), WALK, frozenset())
    assert inputs[:2].tolist() == pytest.approx([-1.0, WALK[1]])
    assert WIDTH > len(inputs) == COUNT + 2
