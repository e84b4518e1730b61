# SPDX-License-Identifier: Apache-2.0
"""Makes a chain of layers (``embodiment_bridge/body/policy.py``) of the operations of a graph."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from embodiment_bridge.body.policy import Layer

# of a graph without a node for it; after its mean
NORMALIZATION = ("sub", "pow", "mean", "add", "sqrt", "div")


class NotAChainError(ValueError):
    """The graph does something that a chain of layers cannot do."""


@dataclass
class Operation:
    """One operation. An input is the name of a value or a constant."""

    name: str
    inputs: list["str | np.ndarray"]
    outputs: list[str]
    numbers: dict[str, float] = field(default_factory=dict)


def layers_of(operations: Sequence[Operation], value: str) -> list[Layer]:
    """The layers that lead from the input of the graph, called ``value``, to the end of its operations.

    Raises:
        NotAChainError: the text names the operation.
    """
    layers: list[Layer] = []
    rest = list(operations)
    while rest:
        operation = rest.pop(0)
        if value not in [name for name in operation.inputs if isinstance(name, str)]:
            raise NotAChainError(f"{operation.name} does not take what the operation before it gives")
        if operation.name == "mean":
            layers.append(_normalize(rest))
            value = rest[5].outputs[0]
            del rest[:6]
            continue
        if operation.name == "sigmoid":
            product = rest.pop(0) if rest else operation
            if product.name != "mul" or set(map(str, product.inputs)) != {value, operation.outputs[0]}:
                raise NotAChainError("a sigmoid alone")
            layers.append(Layer("silu", ()))
            value = product.outputs[0]
            continue
        _add(layers, operation)
        value = operation.outputs[0]
    return [_joined(layer) for layer in layers]


def _normalize(rest: Sequence[Operation]) -> Layer:
    names = tuple(operation.name for operation in rest[:6])
    if names != NORMALIZATION:
        raise NotAChainError(f"mean is followed by {', '.join(names)}")
    epsilon = next(array for array in rest[3].inputs if isinstance(array, np.ndarray))
    return Layer("normalize", (np.float32(epsilon.item()),))


def _add(layers: list[Layer], operation: Operation) -> None:
    name, constants = operation.name, [a for a in operation.inputs if isinstance(a, np.ndarray)]
    if name in ("elu", "relu", "silu", "tanh"):
        if operation.numbers.get("alpha", 1.0) != 1.0:
            raise NotAChainError("elu with another alpha than 1")
        layers.append(Layer(name, ()))
    elif name == "linear":
        weight, *bias = constants
        layers.append(Layer("linear", (weight, bias[0] if bias else np.zeros(len(weight)))))
    elif name == "layer_norm":
        layers.append(Layer("normalize", (np.float32(operation.numbers["epsilon"]),)))
        layers.append(Layer("affine", (constants[0], constants[1])))
    elif name == "first":
        count = int(operation.numbers["count"])
        last = layers.pop()
        if last.kind != "linear" and not (last.kind == "affine" and len(last.arrays[0]) == count):
            raise NotAChainError(f"a part is taken of {last.kind}")
        layers.append(Layer(last.kind, tuple(array[:count] for array in last.arrays)))
    elif name in ("add", "sub", "mul", "div") and len(constants) == 1:
        _add_affine(layers, operation, constants[0].astype(np.float64).ravel())
    else:
        raise NotAChainError(f"the operation {name} is not known")


def _add_affine(layers: list[Layer], operation: Operation, constant: np.ndarray) -> None:
    """An operation with a constant; an addition is put together with a product before it, which loses no digit."""
    product = operation.name in ("mul", "div")
    if not layers or layers[-1].kind != "affine" or (product and layers[-1].arrays[1].any()):
        layers.append(Layer("affine", (np.ones(1), np.zeros(1))))
    scale, shift = layers.pop().arrays
    if operation.name == "add":
        shift = shift + constant
    elif operation.name == "mul":
        scale, shift = scale * constant, shift * constant
    elif not isinstance(operation.inputs[0], str):
        raise NotAChainError(f"{operation.name} from a constant")
    elif operation.name == "sub":
        shift = shift - constant
    else:
        scale, shift = scale / constant, shift / constant
    layers.append(Layer("affine", (scale, shift)))


def _joined(layer: Layer) -> Layer:
    """The layer with arrays of 32 bits, those of an affine one equally long."""
    arrays = layer.arrays
    if layer.kind == "affine":
        arrays = tuple(np.array(a) for a in np.broadcast_arrays(*arrays))
    return Layer(layer.kind, tuple(np.ascontiguousarray(array, np.float32) for array in arrays))
