# SPDX-License-Identifier: Apache-2.0
"""Each kind of layer computes what its name says."""

import math

import numpy as np
import pytest

from embodiment_bridge.body.policy import KINDS, Layer, Network
from embodiment_bridge.motion.policy.controller import LAYERS, outputs_of

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
