# SPDX-License-Identifier: Apache-2.0
"""Networks of other formats become chains of layers that compute the same, or are refused."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from embodiment_bridge.body.policy import Layer, Network, read_network
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.policy.controller import outputs_of

TOOL = Path(__file__).parents[2] / "tools/convert_policy"
sys.path.insert(0, str(TOOL))
from convert import write  # noqa: E402
from layer_chain import NotAChainError, Operation, layers_of  # noqa: E402
from network_graphs import read_graph  # noqa: E402

X = np.array([0.5, -1.0, 2.0], np.float32)
WEIGHT = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]], np.float32)
CHANCE = np.random.default_rng(1)


def computed(*operations):
    layers = layers_of(operations, "x")
    return [layer.kind for layer in layers], outputs_of(Network(tuple(layers), 3, 0), X).tolist()


def test_constants_become_affine_layers():
    double, three = np.array([2.0]), np.array([1.0, 2.0, 3.0])
    kinds, y = computed(
        Operation("mul", ["x", double], ["a"]),
        Operation("add", [three, "a"], ["b"]),
        Operation("sub", ["b", double], ["c"]),
        Operation("div", ["c", three], ["d"]),
    )
    assert kinds == ["affine", "affine"]
    assert y == pytest.approx(((X * 2 + three - 2) / three).tolist())


def test_a_linear_layer_without_bias_and_the_first_of_its_outputs():
    kinds, y = computed(
        Operation("linear", ["x", WEIGHT], ["a"]), Operation("first", ["a"], ["b"], {"count": 1})
    )
    assert (kinds, y) == (["linear"], pytest.approx([(WEIGHT @ X)[0]]))


def test_a_product_with_the_sigmoid_is_silu():
    kinds, y = computed(Operation("sigmoid", ["x"], ["s"]), Operation("mul", ["x", "s"], ["y"]))
    assert kinds == ["silu"]
    assert y == pytest.approx((X / (1 + np.exp(-X))).tolist())


def test_a_normalization_in_single_operations_and_as_one():
    two, epsilon = np.array(2.0, np.float32), np.array(0.1, np.float32)
    names = [
        ("sub", ["x", "m"]),
        ("pow", ["o", two]),
        ("mean", ["p"]),
        ("add", ["v", epsilon]),
        ("sqrt", ["w"]),
    ]
    outputs = ["o", "p", "v", "w", "q"]
    single = [Operation("mean", ["x"], ["m"])]
    single += [Operation(name, values, [out]) for (name, values), out in zip(names, outputs, strict=True)]
    kinds, y = computed(*single, Operation("div", ["o", "q"], ["n"]), Operation("tanh", ["n"], ["y"]))
    assert kinds == ["normalize", "tanh"]
    off = X - X.mean()
    wanted = off / np.sqrt((off**2).mean() + 0.1)
    assert y == pytest.approx(np.tanh(wanted).tolist())
    whole = Operation("layer_norm", ["x", np.ones(3), np.ones(3)], ["y"], {"epsilon": 0.1})
    assert computed(whole) == (["normalize", "affine"], pytest.approx((wanted + 1).tolist()))


BAD = {
    "operation softmax is not known": [Operation("softmax", ["x"], ["y"])],
    "does not take": [Operation("tanh", ["z"], ["y"])],
    "a sigmoid alone": [Operation("sigmoid", ["x"], ["y"])],
    "from a constant": [Operation("div", [np.ones(3), "x"], ["y"])],
    "another alpha": [Operation("elu", ["x"], ["y"], {"alpha": 0.5})],
    "mean is followed by": [Operation("mean", ["x"], ["y"])],
    "a part is taken of relu": [Operation("relu", ["x"], ["a"]), Operation("first", ["a"], ["y"], {"count": 1})],
    "operation add is not known": [Operation("tanh", ["x"], ["y"]), Operation("add", ["x", "y"], ["z"])],
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_chain_is_refused(text):
    with pytest.raises(NotAChainError, match=text):
        layers_of(BAD[text], "x")


@pytest.mark.parametrize(("name", "package"), [("a.onnx", "onnx"), ("a.pt", "torch")])
def test_a_package_that_is_missing_is_named(monkeypatch, name, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotAChainError, match=f"pip install {package}"):
        read_graph(Path(name))


def test_other_formats_are_refused():
    with pytest.raises(NotAChainError, match=r"neither in \.onnx nor in \.pt"):
        read_graph(Path("walk.h5"))


def convert(source, target):
    environment = {"PYTHONPATH": str(TOOL.parents[1]), "PATH": "/usr/bin:/bin"}
    words = [sys.executable, str(TOOL / "convert.py"), str(source), str(target)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env=environment)


def same(source, target, compute):
    done = convert(source, target)
    assert done.returncode == 0, done.stderr
    sha256 = done.stdout.split("sha256 of the network: ")[1].split()[0]
    network = read_network(target, sha256)
    for _ in range(20):
        x = CHANCE.normal(0.0, 1.0, network.inputs).astype(np.float32)
        assert outputs_of(network, x).tolist() == pytest.approx(compute(x).ravel().tolist(), abs=1e-5)
    with pytest.raises(ConfigError, match="sha256"):
        read_network(target, "0" * 64)


def arrays(*shapes):
    return [CHANCE.normal(0.0, 0.3, shape).astype(np.float32) for shape in shapes]


def test_a_name_that_numpy_would_change_is_refused(tmp_path):
    done = convert(tmp_path / "walk.onnx", tmp_path / "walk")
    assert done.returncode == 2
    assert "walk: the name does not end in .npz" in done.stderr


def test_a_network_that_does_not_tell_its_inputs_is_refused(tmp_path):
    with pytest.raises(NotAChainError, match="no layer is linear or affine"):
        write([Layer("tanh", ())], tmp_path / "walk.npz", np.tanh)


@pytest.mark.parametrize("listed", [(), ("w0",)])  # older files list the constants among the inputs
def test_onnx_is_converted(tmp_path, listed):
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    reference = pytest.importorskip("onnx.reference", reason="onnx is not installed")
    helper, number = onnx.helper, onnx.TensorProto.FLOAT
    names = ("mean", "std", "w0", "b0", "g", "h", "w1", "b1")
    values = dict(zip(names, arrays(6, 6, (6, 8), 8, 8, 8, (8, 6), 6), strict=True))
    values["std"] = np.abs(values["std"]) + 1.0
    nodes = [
        helper.make_node("Sub", ["obs", "mean"], ["n0"]),
        helper.make_node("Div", ["n0", "std"], ["n1"]),
        helper.make_node("Gemm", ["n1", "w0", "b0"], ["l0"]),
        helper.make_node("LayerNormalization", ["l0", "g", "h"], ["a0"], epsilon=1e-5),
        helper.make_node("Sigmoid", ["a0"], ["s0"]),
        helper.make_node("Mul", ["s0", "a0"], ["a1"]),
        helper.make_node("MatMul", ["a1", "w1"], ["m1"]),
        helper.make_node("Add", ["m1", "b1"], ["l1"]),
        helper.make_node("Elu", ["l1"], ["action"]),
    ]
    graph = helper.make_graph(
        nodes,
        "walk",
        [
            *(helper.make_tensor_value_info(name, number, values[name].shape) for name in listed),
            helper.make_tensor_value_info("obs", number, [1, 6]),
        ],
        [helper.make_tensor_value_info("action", number, [1, 6])],
        [onnx.numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    onnx.save(model, str(tmp_path / "walk.onnx"))
    session = reference.ReferenceEvaluator(model)
    same(tmp_path / "walk.onnx", tmp_path / "walk.npz", lambda x: session.run(None, {"obs": x[None]})[0])


def test_torchscript_is_converted(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    nn = torch.nn
    module = nn.Sequential(
        nn.Linear(6, 8), nn.ELU(), nn.Linear(8, 8), nn.LayerNorm(8), nn.SiLU(), nn.Linear(8, 4), nn.Tanh()
    )
    torch.jit.script(module).save(str(tmp_path / "walk.pt"))

    def compute(x):
        with torch.no_grad():
            return module(torch.from_numpy(x)[None]).numpy()

    same(tmp_path / "walk.pt", tmp_path / "walk.npz", compute)
