# SPDX-License-Identifier: Apache-2.0
"""A learned policy that walks a body, as its manifest describes it, and its network."""

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_bytes

# Reads a network from an ``.npz`` file: layers that follow each other, as ``tools/convert_policy`` writes them.
#
# ``layers`` is a list of names; layer number 0 has the arrays ``0.<name>`` for each name in its row of ``KINDS``.

Array = NDArray[np.float32]

# Kind of layer, and its arrays. linear: weight is (outputs, inputs). affine: x * scale + shift. normalize: to mean 0
# and variance 1, with epsilon added to the variance.
KINDS: dict[str, tuple[str, ...]] = {
    "linear": ("weight", "bias"),
    "affine": ("scale", "shift"),
    "normalize": ("epsilon",),
    "elu": (),
    "relu": (),
    "silu": (),
    "tanh": (),
}
LAYER_LIMIT = 100
SIZE_LIMIT = 100_000_000  # bytes, also unpacked
# What numpy and zipfile raise on odd files.
_ERRORS = (
    ValueError,
    OSError,
    EOFError,
    LookupError,
    TypeError,
    ArithmeticError,
    RuntimeError,
    SyntaxError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: its kind, one of ``KINDS``, and its arrays in the order of that row."""

    kind: str
    arrays: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """Layers from the first to the last; ``inputs`` and ``outputs`` are their numbers."""

    layers: tuple[Layer, ...]
    inputs: int
    outputs: int


def read_network(path: Path, sha256: str) -> Network:
    """Read a network and check it.

    Raises:
        ConfigError: not such a file, another hash, shapes that do not fit, or a weight that is not finite.
    """
    data = read_bytes(path, SIZE_LIMIT)
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ConfigError(f"{path}: its sha256 is {found}, not {sha256} as its manifest says")
    return _network(path, _arrays(path, data))


def _arrays(path: Path, data: bytes) -> "dict[str, NDArray[np.generic]]":
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(part.file_size for part in packed.infolist())
        if size > SIZE_LIMIT:
            raise ConfigError(f"{path}: unpacked it has {size} bytes, more than {SIZE_LIMIT}")
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except ConfigError:
        raise
    except _ERRORS as error:
        raise ConfigError(f"{path}: not a file of numpy arrays: {error}") from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise ConfigError(f"{path}: {name!r} is not an array")
    return arrays


def _network(path: Path, arrays: "dict[str, NDArray[np.generic]]") -> Network:
    kinds = [str(kind) for kind in arrays.pop("layers", np.array([])).ravel()]
    if not 1 <= len(kinds) <= LAYER_LIMIT:
        raise ConfigError(f"{path}: 'layers' has to name 1 to {LAYER_LIMIT} layers, not {len(kinds)}")
    layers, widths = [], [0]
    for number, kind in enumerate(kinds):
        if kind not in KINDS:
            raise ConfigError(f"{path}: layer {number}: {unknown('kind', kind, KINDS)}")
        names = [f"{number}.{name}" for name in KINDS[kind]]
        layer = Layer(kind, tuple(_array(path, arrays, name) for name in names))
        widths.append(_width(path, number, layer, widths))
        layers.append(layer)
    if arrays:
        raise ConfigError(f"{path}: {unknown('array', min(arrays), ['layers'])}")
    if not widths[0]:
        raise ConfigError(f"{path}: no layer says how many inputs there are")
    return Network(tuple(layers), widths[0], widths[-1])


def _array(path: Path, arrays: "dict[str, NDArray[np.generic]]", name: str) -> Array:
    array = arrays.pop(name, None)
    if array is None:
        raise ConfigError(f"{path}: array {name!r} is missing")
    if array.dtype.kind in "fiu":
        with np.errstate(over="ignore"):  # 1e300 is finite, and not in 32 bits
            values = np.ascontiguousarray(array, np.float32)
        if np.isfinite(values).all():
            return values
    raise ConfigError(f"{path}: array {name!r} has values that are not finite numbers of 32 bits")


def _width(path: Path, number: int, layer: Layer, widths: list[int]) -> int:
    """Return how many values come out of a layer; the first layer with arrays tells those of the input."""
    wanted = widths[-1]
    if layer.kind == "linear":
        weight, bias = layer.arrays
        if weight.ndim != 2 or bias.shape != weight.shape[:1]:
            raise ConfigError(
                f"{path}: layer {number}: weight {weight.shape} and bias {bias.shape} do not fit together"
            )
        inputs, outputs = int(weight.shape[1]), len(bias)
    elif layer.kind == "affine":
        scale, shift = layer.arrays
        if scale.ndim != 1 or scale.shape != shift.shape:
            raise ConfigError(
                f"{path}: layer {number}: scale {scale.shape} and shift {shift.shape} do not fit together"
            )
        inputs = outputs = len(scale)
    else:
        if any(array.shape not in ((), (1,)) for array in layer.arrays):
            raise ConfigError(f"{path}: layer {number}: epsilon has to be one number")
        return wanted
    if not wanted:
        widths[:] = [inputs] * len(widths)
    elif inputs != wanted:
        raise ConfigError(f"{path}: layer {number}: takes {inputs} values, the layer before gives {wanted}")
    return outputs


# What one frame of an observation is made of, and how many values that gives; 0: one per joint of the network.
TERMS = {
    "gyro": 3,  # rates about x, y and z of base_link, rad/s
    "gravity": 3,  # direction of gravity in base_link, (0, 0, -1) when upright
    "velocity": 3,  # of base_link, in base_link, m/s: the difference of the last two sensed positions
    "forward": 1,  # the commanded velocity, m/s and rad/s, times ``feed``
    "left": 1,
    "turn": 1,
    "joint_position": 0,  # rad beside the default angle
    "joint_velocity": 0,  # rad/s
    "last_action": 0,  # what the network gave before, clipped, before the scale of the action
    "cos_left": 1,  # of the phase of the clock for the left and the right leg
    "cos_right": 1,
    "sin_left": 1,
    "sin_right": 1,
}
PHASES = ("cos_left", "cos_right", "sin_left", "sin_right")
FIRST = ("zeros", "repeat")


@dataclass(frozen=True, slots=True)
class Source:
    """Names the origin of a policy: its public address, the sha256 of the file there, and the licence."""

    address: str
    sha256: str
    licence: str


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the observation; ``scale``: one number, or one per value."""

    name: str
    scale: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PolicyJoint:
    """A joint in the order of the network.

    default: angle (rad) that counts as zero. scale: rad per unit of the action. kp (Nm/rad) and kd (Nm s/rad) hold
    while the policy drives the joint. known: whether the body has it; else it is observed as 0 and not driven.
    """

    name: str
    default: float
    scale: float
    kp: float
    kd: float
    known: bool


@dataclass(frozen=True, slots=True)
class Clock:
    """The phase of the steps: ``hz`` periods in a second, ``right`` rad ahead of the left leg.

    standing: what the terms of ``PHASES`` are while the command is zero.
    """

    hz: float
    right: float
    standing: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Felt:
    """The input of an ``observe`` function; joints in the order of the network.

    gyro rad/s and gravity in base_link, velocity m/s in base_link, joint_position rad beside the default angles,
    joint_velocity rad/s, last_action as ``TERMS`` says, phase: the values of ``PHASES``.
    """

    gyro: tuple[float, ...]
    gravity: tuple[float, ...]
    velocity: tuple[float, ...]
    joint_position: Sequence[float]
    joint_velocity: Sequence[float]
    last_action: Sequence[float]
    phase: tuple[float, ...]


Observe = Callable[[Felt, tuple[float, float, float]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy. It gets a frame every ``1 / rate`` s.

    terms: of one frame; observe: makes the frame instead, from what is felt and the command (forward and left m/s,
    turn rad/s, times ``feed``). frames: of the history that goes into the network, the oldest first; first: whether
    it begins with ``zeros`` or with copies of the first frame (``repeat``). clip: largest action.
    feed: what the network is told per m/s forward, m/s left and rad/s, because it lags behind.
    least: the velocities (m/s, m/s, rad/s) below which it does not walk, and the gait of the body does.
    walk: what it does at full command. step_s: how long a step takes, s. tilt: beyond it (rad) it gives up.
    """

    name: str
    source: Source
    network: Network
    rate: float
    joints: tuple[PolicyJoint, ...]
    terms: tuple[Term, ...]
    observe: Observe | None
    frames: int
    first: str
    clip: float
    clock: Clock | None
    feed: tuple[float, float, float]
    least: tuple[float, float, float]
    walk: WalkLimits
    step_s: float
    tilt: float

    @property
    def senses_position(self) -> bool:
        """Whether it needs the position of the body."""
        return self.observe is not None or any(term.name == "velocity" for term in self.terms)
