# SPDX-License-Identifier: Apache-2.0
"""Policies: their files and manifests, and what each layer of a network computes."""

import hashlib
import io
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from motion_stage import T1
from policy_stage import ADDRESS, JOINTS, WIDTH, manifest, network, write

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.carriers.gait import Gait
from embodiment_bridge.body.policy import KINDS, TERMS, Layer, Network, read_network
from embodiment_bridge.body.policy_file import read_policy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.policy.controller import LAYERS, outputs_of


def refused(tmp_path, arrays=None, **changes):
    with pytest.raises(ConfigError) as error:
        read_body(write(tmp_path, arrays, **changes))
    return str(error.value)


def test_a_body_with_a_policy_is_carried_by_it(tmp_path):
    body = read_body(write(tmp_path))
    policy = body.carrier.policy
    assert body.carrier.walk is policy.walk
    assert (policy.network.inputs, policy.network.outputs) == (WIDTH, len(JOINTS))
    assert policy.walk.forward == 1.4
    assert policy.least == (0.4, 0.3, 0.3)
    assert policy.feed == (1.0, 1.0, 1.0)
    joints = {joint.name: joint for joint in policy.joints}
    assert list(joints) == list(JOINTS)
    assert (joints["Left_Knee_Pitch"].kp, joints["Left_Ankle_Roll"].kp) == (100.0, 30.0)
    assert joints["Left_Knee_Pitch"].default == 0.4


def test_a_body_without_a_policy_is_carried_by_its_gait(tmp_path):
    write(tmp_path)
    text = (tmp_path / "t1.yaml").read_text().replace("  policy: walk.npz\n", "")
    body = parse_body(text, "t1.yaml")
    assert isinstance(body.carrier, Gait)
    assert walk_ranges(body)["speed"] == (-0.34, 0.61)


def walk_ranges(body) -> dict[str, tuple[float, float]]:
    return {one.name: (one.lower, one.upper) for one in body.skills["walk"].parameters}


def test_the_walk_skill_has_the_speeds_of_the_policy(tmp_path):
    ranges = walk_ranges(read_body(write(tmp_path)))
    assert (ranges["speed"], ranges["turn"], ranges["distance"]) == ((-0.8, 1.4), (-1.2, 1.2), (-20.0, 20.0))


def test_a_missing_network_is_answered_with_address_hash_and_licence(tmp_path):
    body = write(tmp_path)
    (tmp_path / "walk.npz").unlink()
    with pytest.raises(ConfigError) as error:
        read_body(body)
    for part in (str(tmp_path / "walk.npz"), ADDRESS, "ab" * 32, "Apache-2.0", "convert"):
        assert part in str(error.value)


def test_a_missing_manifest_is_named(tmp_path):
    body = write(tmp_path)
    (tmp_path / "walk.yaml").unlink()
    with pytest.raises(ConfigError, match=r"walk\.yaml"):
        read_body(body)


def test_another_file_than_the_manifest_means_is_refused(tmp_path):
    assert "sha256" in refused(tmp_path, sha256="0" * 64)


def test_a_policy_needs_a_file(tmp_path):
    with pytest.raises(ConfigError, match="read from a file"):
        parse_body(write(tmp_path).read_text(), "t1.yaml")


def changed(**arrays):
    return {name: value for name, value in (network() | arrays).items() if value is not None}


BAD_ARRAYS = {
    "not finite": ({"0.bias": np.full(len(JOINTS), np.nan, np.float32)}, "0.bias"),
    "too large for 32 bits": ({"0.bias": np.full(len(JOINTS), 1e300)}, "0.bias"),
    "infinite": ({"0.weight": np.full((len(JOINTS), WIDTH), np.inf, np.float32)}, "0.weight"),
    "missing": ({"0.bias": None}, "'0.bias' is missing"),
    "left over": ({"1.bias": np.zeros(3)}, "1.bias"),
    "no layers": ({"layers": None}, "'layers'"),
    "unknown layer": ({"layers": np.array(["lineer"])}, "did you mean 'linear'"),
    "shapes": ({"0.bias": np.zeros(3)}, "do not fit"),
    "one dimension": ({"0.weight": np.zeros(3)}, "do not fit"),
    "chain": (
        {"layers": np.array(["linear", "affine"]), "1.scale": np.ones(3), "1.shift": np.zeros(3)},
        "takes 3 values",
    ),
    "no size": ({"layers": np.array(["tanh"]), "0.weight": None, "0.bias": None}, "how many inputs"),
    "text": ({"0.bias": np.array(["a"] * len(JOINTS))}, "0.bias"),
    "inputs": ({"0.weight": np.zeros((len(JOINTS), 7))}, "7 inputs"),
    "outputs": ({"0.weight": np.zeros((2, WIDTH)), "0.bias": np.zeros(2)}, "2 outputs"),
}


@pytest.mark.parametrize("case", BAD_ARRAYS)
def test_a_network_that_cannot_be_is_refused(tmp_path, case):
    arrays, text = BAD_ARRAYS[case]
    assert text in refused(tmp_path, changed(**arrays))


def alone() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def packed(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


ENDLESS = b"{'descr': '<f4', 'fortran_order': False, 'shape': (250000000000,)}"
OF_A_TERABYTE = b"\x93NUMPY\x01\x00\x46\x00" + ENDLESS.ljust(70)
NO_NETWORKS = {
    "empty": (b"", "not a file of numpy arrays"),
    "no archive": (b"PK\x03\x04 no archive", "not a file of numpy arrays"),
    "pickle": (b"\x80\x04K\x01.", "not a file of numpy arrays"),
    "one array": (alone(), "not a file of numpy arrays"),
    "no array": (packed("layers", b"linear"), "'layers' is not an array"),
    "a terabyte": (packed("0.bias.npy", OF_A_TERABYTE), "not a file of numpy arrays"),
    "bomb": (
        packed("0.bias.npy", bytes(100_000_001)),
        "unpacked it has 100000001 bytes, more than 100000000",
    ),
}


@pytest.mark.parametrize("case", NO_NETWORKS)
def test_a_file_that_is_no_network_is_refused(tmp_path, case):
    data, text = NO_NETWORKS[case]
    (tmp_path / "walk.npz").write_bytes(data)
    with pytest.raises(ConfigError, match=r"walk\.npz: ") as caught:
        read_network(tmp_path / "walk.npz", hashlib.sha256(data).hexdigest())
    assert text in str(caught.value)


PHASE = ["cos_left", "sin_left", "cos_right"]
BAD_MANIFESTS = {
    "unknown key": ({"rates": 50}, "unknown key 'rates'"),
    "no source": ({"source": None}, "source: missing"),
    "hash": ({"sha256": "abc"}, "64 hexadecimal digits"),
    "rate": ({"rate": 5}, "rate"),
    "unknown joint": ({"joints": JOINTS | {"Left_Wrist": 0.0}}, "Left_Wrist"),
    "default out of range": ({"joints": JOINTS | {"Left_Knee_Pitch": -1.0}}, "Left_Knee_Pitch"),
    "no joints": ({"joints": {}}, "joints"),
    "scales": ({"action": {"scale": [1.0, 2.0]}}, "14 numbers"),
    "no gain": ({"kp": {"legs": 100}}, "arm_l"),
    "gain of nothing": ({"kd": {"legs": 2, "arm_l": 1, "arm_r": 1, "leg": 1}}, "did you mean 'legs'"),
    "term": ({"observation": ["gyroscope"]}, "did you mean 'gyro'"),
    "width": ({"observation": ["gyro"]}, "3 values in 1 frames"),
    "no observation": ({"observation": None}, "observation: missing"),
    "phase without clock": ({"observation": [*manifest()["observation"][1:], *PHASE]}, "clock: missing"),
    "frames": ({"history": {"frames": 2}}, "51 values in 2 frames"),
    "first": ({"history": {"first": "ones"}}, "'ones'"),
    "axis": ({"least": {"up": 1.0}}, "unknown key 'up'"),
    "walk": ({"walk": {}}, "walk.forward: missing"),
    "no code": ({"observation": None, "observe": "nothing.py"}, "Python file beside"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_MANIFESTS)
def test_a_manifest_that_cannot_be_is_refused(tmp_path, case):
    changes, text = BAD_MANIFESTS[case]
    assert text in refused(tmp_path, **changes)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("x = 1", "no function 'observe'"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("(", "SyntaxError"),
    ],
)
def test_code_that_cannot_observe_is_refused(tmp_path, code, text):
    (tmp_path / "see.py").write_text(code)
    assert text in refused(tmp_path, observation=None, observe="see.py")


def test_an_observe_function_replaces_the_observation(tmp_path):
    (tmp_path / "see.py").write_text(f"def observe(felt, command):\n    return [0.0] * {WIDTH}\n")
    assert read_body(write(tmp_path, observation=None, observe="see.py")).carrier.policy.observe is not None
    assert "possible beside observe" in refused(tmp_path, observe="see.py")


FOLDER = Path(__file__).parents[2] / "config/policies"
MANIFESTS = sorted(FOLDER.glob("*.yaml"))
T1_JOINTS = {joint.name: joint for joint in T1.joints}
INPUTS = {"t1_walk": 720, "playground": 85, "fastsac": 100, "booster_gym": 47}
OUTPUTS = {"t1_walk": 21, "playground": 23, "fastsac": 29, "booster_gym": 12}


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_fits_the_body_and_the_size_of_its_network(path, tmp_path):
    inputs, outputs = INPUTS[path.stem], OUTPUTS[path.stem]
    network = tmp_path / "walk.npz"
    weight = np.zeros((outputs, inputs), np.float32)
    np.savez(network, **{"layers": np.array(["linear"]), "0.weight": weight, "0.bias": weight[:, 0]})
    data = yaml.safe_load(path.read_text())
    data["sha256"] = hashlib.sha256(network.read_bytes()).hexdigest()
    (tmp_path / "walk.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    policy = read_policy(network, T1_JOINTS)
    assert policy.name == path.stem
    assert {term.name for term in policy.terms} <= set(TERMS)
    assert sum(len(term.scale) for term in policy.terms) * policy.frames == inputs


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_the_network_of_a_manifest_is_said_to_be_elsewhere(path):
    with pytest.raises(ConfigError, match=r"is not there.*https://github\.com/.*licence Apache-2\.0"):
        read_policy(path.with_suffix(".npz"), T1_JOINTS)


def test_every_manifest_is_known_here():
    assert {path.stem for path in MANIFESTS} == set(INPUTS) == set(OUTPUTS)


X = (-30.0, -1.0, -0.25, 0.0, 0.5, 2.0, 40.0)
MEAN = sum(X) / len(X)
VARIANCE = sum((x - MEAN) ** 2 for x in X) / len(X)

CASES = {
    "elu": ((), [x if x > 0 else math.exp(x) - 1 for x in X]),
    "relu": ((), [max(x, 0.0) for x in X]),
    "silu": ((), [x / (1 + math.exp(-x)) for x in X]),
    "tanh": ((), [math.tanh(x) for x in X]),
    "affine": (([2.0] * 7, [1.0] * 7), [2 * x + 1 for x in X]),
    "normalize": ((0.5,), [(x - MEAN) / math.sqrt(VARIANCE + 0.5) for x in X]),
    "linear": (([[1, 0, 0, 0, 0, 0, 2], [0, 1, 0, 0, 0, 0, 0]], [0.5, 0.0]), [X[0] + 2 * X[6] + 0.5, X[1]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_computes(kind):
    arrays, wanted = CASES[kind]
    layer = Layer(kind, tuple(np.array(array, np.float32) for array in arrays))
    got = outputs_of(Network((layer,), 7, len(wanted)), np.array(X, np.float32))
    assert got.dtype == np.float32
    assert got.tolist() == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_layers_follow_each_other():
    layers = (
        Layer("affine", (np.float32([2, 2]), np.float32([0, -8]))),
        Layer("relu", ()),
        Layer("linear", (np.float32([[1, 1]]), np.float32([3]))),
    )
    assert outputs_of(Network(layers, 2, 1), np.float32([1, 3])).tolist() == [5.0]


def test_every_kind_of_layer_is_computed():
    assert set(LAYERS) == set(KINDS)
