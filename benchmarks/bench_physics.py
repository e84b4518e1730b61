# SPDX-License-Identifier: Apache-2.0
"""Simulations in this process: steps per second beside bare MuJoCo, and what a robot in real time costs.

    python benchmarks/bench_physics.py [SECONDS]

Processor time, so that other programs matter little. The two ways of a row take turns on the same model with the same
targets: ours makes targets, steps and reads the state every 20 ms; bare MuJoCo only steps.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from processes import isolate
from rclpy.node import Node
from rclpy.parameter import Parameter
from rows import row
from sensor_msgs.msg import Imu, JointState

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.launching.executables import mujoco_body
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.mujoco.mujoco_body import MujocoBody
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.model_file import find_model
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.protocols.rcsssmj.managed_robot import ManagedRobot

ROOT = Path(__file__).parents[1]
T1 = "python://rcsssmj/resources/robots/T1/robot.xml"
CYCLE = 0.02  # s
TIMESTEP = 0.002  # s
MANAGED_STEPS = 4  # of rcsssmj's physics in a cycle
ROUNDS = 15
SECONDS = 10.0


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    isolate()
    return [*_t1(), *_managed(), *_node(seconds)]


def _t1() -> list[dict[str, Any]]:
    body = read_body(ROOT / "config/bodies/t1.yaml")
    simulation = Simulation(find_model(T1), body, base="floating", timestep=TIMESTEP)
    runner = MotionRunner(body)
    state = simulation.reset()
    for _ in range(100):
        state = simulation.step(runner.step(state, CYCLE), CYCLE)
    targets, steps = runner.step(state, CYCLE), round(CYCLE / TIMESTEP)
    ours, bare = _in_turn(
        lambda: simulation.step(targets, CYCLE),
        lambda: mujoco.mj_step(simulation.model, simulation.data, steps),
        steps,
    )
    resets = _rate(simulation.reset, 50)
    return [
        row("T1, steps of 2 ms", ours, "1/s", peer="bare MuJoCo", peer_value=bare, at_least=0.7),
        row("T1, resets", resets, "1/s"),
    ]


def _managed() -> list[dict[str, Any]]:
    full, full_bare = _managed_rates(referee=True)
    physics, bare = _managed_rates(referee=False)
    name = "T1 of RCSSServerMJ, steps of 5 ms"
    return [
        row(f"{name}, without referee", physics, "1/s", peer="bare MuJoCo", peer_value=bare, at_least=0.7),
        row(f"{name}, with all its rules", full, "1/s", peer="bare MuJoCo", peer_value=full_bare),
    ]


def _managed_rates(*, referee: bool) -> tuple[float, float]:
    robot = ManagedRobot(read_body(ROOT / "config/bodies/t1.yaml"), referee=referee)
    runner = MotionRunner(robot.body)
    for _ in range(100):
        robot.step(runner.step(robot.state, CYCLE))
    targets, world = runner.step(robot.state, CYCLE), robot.simulation.simulation
    return _in_turn(
        lambda: robot.step(targets),
        lambda: mujoco.mj_step(world.mj_model, world.mj_data, MANAGED_STEPS),
        MANAGED_STEPS,
    )


def _node(seconds: float) -> list[dict[str, Any]]:
    """The node of the desk humanoid at 1 kHz in real time, with listeners to its joints and IMU."""
    with Runtime() as runtime:
        overrides = [Parameter("timestep", value=0.001)]
        node = runtime.add(mujoco_body(context=runtime.context, parameter_overrides=overrides))
        listener = runtime.add(Node("listener", context=runtime.context))
        came: list[object] = []
        for kind, topic in ((JointState, "joint_states"), (Imu, "imu")):
            listener.create_subscription(kind, topic, came.append, profile("sensor"))
        _spin(runtime, 2.0, lambda: bool(node.active and came))
        begun, processor, simulated = time.monotonic(), time.process_time(), _simulated(node)
        _spin(runtime, seconds, lambda: False)
        passed = _simulated(node) - simulated
        cost = (time.process_time() - processor) / passed
        factor = passed / (time.monotonic() - begun)
    return [  # on a busy machine less time is simulated: that must not look like little work
        row("desk humanoid at 1 kHz, with listeners: cores for real time", cost, "", at_most=0.4),
        row("the same: simulated time per real time", factor, ""),
    ]


def _simulated(node: MujocoBody) -> float:
    """Simulated time since the start, s."""
    return float(str(node.diagnose()[2]["time"]))


def _spin(runtime: Runtime, seconds: float, done: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    runtime.spin(lambda: done() or time.monotonic() > end)


def _in_turn(
    ours: Callable[[], object], bare: Callable[[], object], steps: int, calls: int = 50
) -> tuple[float, float]:
    """Steps per second of both, the median of rounds in which they take turns."""
    rates = [(_rate(ours, calls), _rate(bare, calls)) for _ in range(ROUNDS)]
    return steps * median(pair[0] for pair in rates), steps * median(pair[1] for pair in rates)


def _rate(call: Callable[[], object], calls: int) -> float:
    begun = time.process_time()
    for _ in range(calls):
        call()
    return calls / (time.process_time() - begun)


if __name__ == "__main__":
    for one in run(*map(float, sys.argv[1:2])):
        print(one)
