# SPDX-License-Identifier: Apache-2.0
"""Runs a learned policy.

Observes sensed values and commands, computes the network with numpy, and gives one set of joint targets per
period.
"""

from collections import deque
from collections.abc import Callable, Mapping
from math import cos, pi, sin

import numpy as np

from embodiment_bridge.body.policy import PHASES, Array, Felt, Network, Policy
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.motion.joints.sensing import Sensed

# What a learned policy is told: frames of sensed values, the command, its last action and the phase.

FASTEST = 3.0  # m/s: a body that seems faster was placed elsewhere
Vector = tuple[float, float, float]


class Observer:
    """Computes the input of the network. ``action``: its last output, clipped.

    index: numbers of the joints of the body by name. A joint that something else drives counts as if it were at its
    default angle and still, as it was whenever the policy was trained.
    """

    def __init__(self, policy: Policy, index: Mapping[str, int]) -> None:
        self._policy = policy
        self._joints = [(index[j.name] if j.known else None, j.default) for j in policy.joints]
        self._scale = np.array([s for term in policy.terms for s in term.scale], np.float32)
        self.reset()

    def reset(self) -> None:
        """Forget all frames; the clock begins anew."""
        self.action: Array = np.zeros(len(self._joints), np.float32)
        self._frames: deque[Array] = deque(maxlen=self._policy.frames)
        self._phase = 0.0
        self._last: Vector | None = None

    def inputs(self, sensed: Sensed, command: Vector, busy: frozenset[int]) -> Array:
        """Return the input now, one period after the last.

        Args:
            sensed: of the body.
            command: forward and left m/s, turn rad/s, as the network is to be told.
            busy: numbers of the joints that something else drives.
        """
        policy, moving = self._policy, any(command)
        felt = self._felt(sensed, busy, moving)
        if policy.observe is not None:
            frame = np.asarray(policy.observe(felt, command), np.float32)
        else:
            parts = self._parts(felt, command)
            frame = np.array([v for term in policy.terms for v in parts[term.name]], np.float32) * self._scale
        if not self._frames:
            first = np.zeros_like(frame) if policy.first == "zeros" else frame
            self._frames.extend([first] * policy.frames)
        self._frames.append(frame)
        if policy.clock is not None and moving:
            self._phase = (self._phase + 2 * pi * policy.clock.hz / policy.rate) % (2 * pi)
        return np.concatenate(self._frames)

    def _felt(self, sensed: Sensed, busy: frozenset[int], moving: bool) -> Felt:
        r, p = sensed.roll, sensed.pitch
        position, velocity = [], []
        for joint, default in self._joints:
            free = joint is not None and joint not in busy
            position.append(sensed.position[joint] - default if free and joint is not None else 0.0)
            velocity.append(sensed.velocity[joint] if free and joint is not None else 0.0)
        gravity = (sin(p), -sin(r) * cos(p), -cos(r) * cos(p))
        return Felt(
            sensed.rates,
            gravity,
            self._velocity(sensed),
            position,
            velocity,
            self.action.tolist(),
            self._phases(moving),
        )

    def _velocity(self, sensed: Sensed) -> Vector:
        """Return the velocity of base_link in its own frame, m/s: half a period late, but not filtered."""
        here = sensed.x, sensed.y, sensed.z
        last, self._last = self._last or here, here
        vx, vy, vz = ((a - b) * self._policy.rate for a, b in zip(here, last, strict=True))
        if max(abs(vx), abs(vy), abs(vz)) > FASTEST:
            return 0.0, 0.0, 0.0
        c, s = cos(sensed.yaw), sin(sensed.yaw)
        vx, vy = c * vx + s * vy, c * vy - s * vx
        c, s = cos(sensed.pitch), sin(sensed.pitch)
        vx, vz = c * vx - s * vz, s * vx + c * vz
        c, s = cos(sensed.roll), sin(sensed.roll)
        return vx, c * vy + s * vz, c * vz - s * vy

    def _phases(self, moving: bool) -> tuple[float, ...]:
        clock = self._policy.clock
        if clock is None:
            return (0.0,) * len(PHASES)
        if not moving:
            return clock.standing
        left, right = self._phase, self._phase + clock.right
        return cos(left), cos(right), sin(left), sin(right)

    @staticmethod
    def _parts(felt: Felt, command: Vector) -> Mapping[str, tuple[float, ...] | list[float]]:
        forward, left, turn = command
        return {
            "gyro": felt.gyro,
            "gravity": felt.gravity,
            "velocity": felt.velocity,
            "forward": (forward,),
            "left": (left,),
            "turn": (turn,),
            "joint_position": list(felt.joint_position),
            "joint_velocity": list(felt.joint_velocity),
            "last_action": list(felt.last_action),
            **{name: (value,) for name, value in zip(PHASES, felt.phase, strict=True)},
        }


def _linear(x: Array, weight: Array, bias: Array) -> Array:
    y: Array = weight @ x + bias
    return y


def _affine(x: Array, scale: Array, shift: Array) -> Array:
    return x * scale + shift


def _normalize(x: Array, epsilon: Array) -> Array:
    off = x - x.mean(dtype=np.float32)
    y: Array = off / np.sqrt((off * off).mean(dtype=np.float32) + epsilon)
    return y


def _elu(x: Array) -> Array:
    return np.where(x > 0.0, x, np.expm1(np.minimum(x, np.float32(0.0))))


def _relu(x: Array) -> Array:
    return np.maximum(x, np.float32(0.0))


def _silu(x: Array) -> Array:
    y: Array = x * np.float32(0.5) * (np.float32(1.0) + np.tanh(x * np.float32(0.5)))  # x * sigmoid(x)
    return y


def _tanh(x: Array) -> Array:
    return np.tanh(x)


LAYERS: dict[str, Callable[..., Array]] = {
    "linear": _linear,
    "affine": _affine,
    "normalize": _normalize,
    "elu": _elu,
    "relu": _relu,
    "silu": _silu,
    "tanh": _tanh,
}


def outputs_of(network: Network, inputs: Array) -> Array:
    """Return the outputs for ``inputs`` (one value per input); not finite if an input is not, or is far too large."""
    values = inputs
    with np.errstate(over="ignore", invalid="ignore"):
        for layer in network.layers:
            values = LAYERS[layer.kind](values, *layer.arrays)
    return values


DEADLINE_S = 0.12  # s without a percept after which a policy must not go on: it was trained for an even rate
EARLY = 0.75  # share of a period after which the next step is due: percepts do not come evenly

Velocity = tuple[float, float, float]


class PolicyFault(BridgeError):  # noqa: N818 - a state of the robot and no mistake of the caller
    """Reports that the policy must not go on; the text says why."""


class PolicyController:
    """Runs a policy. ``targets``: rad by number of joint, for the joints that the body has."""

    def __init__(self, policy: Policy, index: Mapping[str, int]) -> None:
        self._policy = policy
        self._observer = Observer(policy, index)
        self._driven = [(n, index[j.name]) for n, j in enumerate(policy.joints) if j.known]
        self._default = np.array([j.default for j in policy.joints])
        self._scale = np.array([j.scale for j in policy.joints])
        self.gains = {index[j.name]: (j.kp, j.kd) for j in policy.joints if j.known}
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._observer.reset()
        self._since = 1.0 / self._policy.rate
        self.targets = {joint: float(self._default[n]) for n, joint in self._driven}

    def step(self, sensed: Sensed, velocity: Velocity, busy: frozenset[int], dt: float) -> None:
        """Let ``dt`` s pass.

        Args:
            sensed: of the body.
            velocity: wanted, m/s forward, m/s left and rad/s.
            busy: numbers of the joints that something else drives.
            dt: s since the last call.

        Raises:
            PolicyFault: the body is tilted too far or not sensed, percepts stopped, or the output is not finite.
        """
        self._check(sensed)
        self._since += dt
        period = 1.0 / self._policy.rate
        if self._since < EARLY * period:
            return
        self._since = min(max(self._since - period, -0.5 * period), 0.5 * period)
        forward, left, turn = (v * feed for v, feed in zip(velocity, self._policy.feed, strict=True))
        try:
            inputs = self._observer.inputs(sensed, (forward, left, turn), busy)
        except Exception as error:
            raise PolicyFault(f"observe failed: {type(error).__name__}: {error}") from error
        if inputs.shape != (self._policy.network.inputs,):
            raise PolicyFault(f"observe gave {inputs.shape}, not {self._policy.network.inputs} values")
        outputs = outputs_of(self._policy.network, inputs)
        if not np.isfinite(outputs).all():
            raise PolicyFault("its output is not a number")
        self._observer.action = np.clip(outputs, -self._policy.clip, self._policy.clip)
        angles = (self._default + self._scale * self._observer.action).tolist()
        self.targets = {joint: angles[n] for n, joint in self._driven}

    def _check(self, sensed: Sensed) -> None:
        policy = self._policy
        if not (sensed.base_fresh if policy.senses_position else sensed.tilt_fresh):
            raise PolicyFault("the body is not sensed")
        tilt = max(abs(sensed.roll), abs(sensed.pitch))
        if tilt > policy.tilt:
            raise PolicyFault(f"the body is tilted by {tilt:.2f} rad")
        if sensed.gap > DEADLINE_S:
            raise PolicyFault(f"no percept for {sensed.gap:.2f} s")
