# SPDX-License-Identifier: Apache-2.0
"""Robots for the tests of physics, and random trajectories for any of them."""

import random
from dataclasses import replace
from pathlib import Path

from embodiment_bridge.body.state import JointTargets
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.physics.simulation import Simulation

ROOT = Path(__file__).parents[2]
DESK = ROOT / "urdf/desk_humanoid.urdf"
CYCLE = 0.01  # s
WIDEST = 6.0  # rad, of what a joint without a range is asked for
ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1"/>
    <body name="column" pos="0 0 1">
      <geom type="box" size="0.05 0.05 0.05" mass="1"/>
      <body name="arm" pos="0 0 0">
        <joint name="shoulder" axis="0 1 0" range="-1.5 1.5" limited="true"/>
        <geom name="rod" type="capsule" fromto="0.1 0 0 0.5 0 0" size="0.02" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="pull" joint="shoulder" kp="40" kv="4" forcerange="-20 20"/></actuator>
  <keyframe><key name="up" qpos="-0.5"/></keyframe>
</mujoco>
"""


def targets(simulation: Simulation, **angles: float) -> JointTargets:
    """Targets that hold the rest pose, or other angles (rad) of some joints."""
    joints = simulation.body.joints
    none = (0.0,) * len(joints)
    return JointTargets(
        tuple(angles.get(joint.name, joint.rest) for joint in joints),
        none,
        tuple(joint.kp for joint in joints),
        tuple(joint.kd for joint in joints),
        none,
    )


def dance(simulation: Simulation, seconds: float, seed: int = 0) -> tuple[float, float]:
    """Follow random trajectories within all ranges.

    Returns the greatest speed of a joint, rad/s, and how much of its range the joint passed that passed least.
    """
    chance = random.Random(seed)
    body = replace(simulation.body, fall=None)  # one that knows it has fallen would move no more
    runner, joints = MotionRunner(body), body.joints
    state, until, fastest = simulation.reset(), 0.0, 0.0
    ranges = [(max(j.lower, -WIDEST), min(j.upper, WIDEST)) for j in joints]
    lowest = highest = state.position
    here = state.position
    while state.time < seconds:
        if state.time >= until:
            goal = [chance.uniform(*ends) for ends in ranges]
            ways = zip(joints, here, goal, strict=True)
            length = max(1.0, *(2.5 * abs(there - at) / joint.velocity for joint, at, there in ways))
            runner.follow([joint.name for joint in joints], [TrajectoryPoint(length, tuple(goal))])
            until, here = state.time + length + 0.2, tuple(goal)
        state = simulation.step(runner.step(state, CYCLE), CYCLE)
        fastest = max(fastest, *map(abs, state.velocity))
        lowest = tuple(map(min, lowest, state.position))
        highest = tuple(map(max, highest, state.position))
    shares = [
        (high - low) / (end - begin) for low, high, (begin, end) in zip(lowest, highest, ranges, strict=True)
    ]
    return fastest, min(shares)
