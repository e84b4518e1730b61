# SPDX-License-Identifier: Apache-2.0
"""Computes a network with numpy."""

from collections.abc import Callable

import numpy as np

from embodiment_bridge.body.network_file import Array, Network


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
    """The outputs for ``inputs`` (one value per input); not finite if an input is not, or is far too large."""
    values = inputs
    with np.errstate(over="ignore", invalid="ignore"):
        for layer in network.layers:
            values = LAYERS[layer.kind](values, *layer.arrays)
    return values
