# SPDX-License-Identifier: Apache-2.0
"""Reads the operations of a network from ONNX (package onnx) or TorchScript (package torch)."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from layer_chain import NotAChainError, Operation

IGNORED = {"Identity", "Flatten", "Cast", "Dropout"}  # of a chain: they change no number
ONNX = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Pow": "pow", "Sqrt": "sqrt", "ReduceMean": "mean",
    "Sigmoid": "sigmoid", "Tanh": "tanh", "Relu": "relu", "Elu": "elu",
}  # fmt: skip
LARGE = 1_000_000  # as the end of a slice: all
TORCH = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "tanh": "tanh",
    "relu": "relu",
    "silu": "silu",
}


@dataclass
class Graph:
    """Operations, the name of the input, and what the original computes for one input."""

    operations: list[Operation]
    input: str
    compute: Callable[[np.ndarray], np.ndarray]


def read_graph(path: Path) -> Graph:
    """The graph of a file ``.onnx`` or ``.pt``.

    Raises:
        NotAChainError: an operation is not known, or a package is missing.
    """
    if path.suffix == ".onnx":
        return _read_onnx(path, _package("onnx"))
    if path.suffix in (".pt", ".pth", ".jit"):
        return _read_torch(path, _package("torch"))
    raise NotAChainError(f"{path}: the name ends neither in .onnx nor in .pt")


def _package(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotAChainError(f"this needs the package {name}: pip install {name}") from error


def _read_onnx(path: Path, onnx: ModuleType) -> Graph:
    reference = importlib.import_module("onnx.reference").ReferenceEvaluator
    to_array = importlib.import_module("onnx.numpy_helper").to_array
    model = onnx.load(str(path))
    graph = model.graph
    constants = {one.name: to_array(one) for one in graph.initializer}
    inputs = [one.name for one in graph.input if one.name not in constants]
    if len(inputs) != 1:
        raise NotAChainError(f"{path}: {len(inputs)} inputs, {', '.join(inputs)}; only one is possible")
    operations: list[Operation] = []
    same: dict[str, str] = {}
    for node in graph.node:
        numbers = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Constant":
            constants[node.output[0]] = to_array(numbers["value"])
            continue
        values = [constants.get(name, same.get(name, name)) for name in node.input if name]
        if node.op_type in IGNORED or (node.op_type == "Concat" and len(values) == 1):
            same[node.output[0]] = values[0]
        else:
            _add_onnx(operations, same, node, values, numbers)
    session = reference(model)

    def compute(x: np.ndarray) -> np.ndarray:
        return np.ravel(session.run(None, {inputs[0]: x[None]})[0])

    return Graph(operations, inputs[0], compute)


def _add_onnx(operations: list[Operation], same: dict[str, str], node, values, numbers) -> None:  # noqa: ANN001
    """Add the operation of a node; ``same``: values that are those of another name."""
    kind, outputs = node.op_type, list(node.output)
    if kind == "Slice" and values[1].ravel()[0] == 0 and values[2].ravel()[0] > LARGE:
        same[outputs[0]] = values[0]  # all of it
    elif kind in ("Split", "Slice"):
        count = values[2].ravel()[0] if kind == "Slice" else numbers.get("split", [None])[0]
        width = len(operations[-1].inputs[1]) if operations and operations[-1].name == "linear" else 0
        operations.append(
            Operation("first", values[:1], outputs[:1], {"count": count or width // len(outputs)})
        )
    elif kind == "Gemm":
        weight = values[1] if numbers.get("transB", 0) else values[1].T
        operations.append(Operation("linear", [values[0], weight, *values[2:]], outputs))
    elif kind == "MatMul" and isinstance(values[1], np.ndarray):
        operations.append(Operation("linear", [values[0], values[1].T], outputs))
    elif kind == "LayerNormalization":
        operations.append(Operation("layer_norm", values, outputs, {"epsilon": numbers.get("epsilon", 1e-5)}))
    elif kind in ONNX:
        plain = {key: value for key, value in numbers.items() if isinstance(value, float)}
        operations.append(Operation(ONNX[kind], values, outputs, plain))
    else:
        raise NotAChainError(f"the operation {kind} is not known")


def _read_torch(path: Path, torch: ModuleType) -> Graph:
    module = torch.jit.freeze(torch.jit.load(str(path), map_location="cpu").eval())
    graph = module.inlined_graph
    torch._C._jit_pass_constant_propagation(graph)
    operations: list[Operation] = []
    for node in graph.nodes():
        kind = node.kind()
        if kind == "prim::Constant" or node.outputsSize() != 1:
            continue
        values, numbers = [], []
        for value in node.inputs():
            constant = value.toIValue()
            if isinstance(constant, torch.Tensor):
                values.append(constant.detach().numpy())
            elif constant is None and value.node().kind() != "prim::Constant":
                values.append(value.debugName())
            elif constant is not None:
                numbers.append(constant)
        output, name = [node.output().debugName()], kind.removeprefix("aten::").rstrip("_")
        operations.append(_torch_operation(name, values, numbers, output))

    def compute(x: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.ravel(module(torch.from_numpy(x)[None]).numpy())

    return Graph(operations, list(graph.inputs())[1].debugName(), compute)


def _torch_operation(name: str, values, numbers, output: list[str]) -> Operation:  # noqa: ANN001
    if name == "linear":
        return Operation("linear", values, output)
    if name == "elu":
        return Operation("elu", values, output, {"alpha": numbers[0]})
    if name == "layer_norm":
        return Operation(
            "layer_norm", values, output, {"epsilon": next(n for n in numbers if isinstance(n, float))}
        )
    if name in TORCH:
        return Operation(TORCH[name], values, output)
    raise NotAChainError(f"the operation {name} is not known")
