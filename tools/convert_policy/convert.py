# SPDX-License-Identifier: Apache-2.0
"""Converts a learned policy from ONNX or TorchScript: python convert.py POLICY.onnx WALK.npz.

Needs the package onnx or torch. The result is compared with the original for 200 inputs before it is written, and its
sha256 is printed for the manifest.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np
from layer_chain import NotAChainError, layers_of
from network_graphs import read_graph

from embodiment_bridge.body.policy import KINDS, Layer, Network
from embodiment_bridge.motion.policy.controller import outputs_of

TOLERANCE = 1e-5
TRIES = 200


def main() -> int:
    """Convert one file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("policy", type=Path, help="file .onnx or .pt")
    parser.add_argument("network", type=Path, help="file .npz to write")
    arguments = parser.parse_args()
    if arguments.network.suffix != ".npz":  # it would be written under a name with .npz behind
        parser.error(f"{arguments.network}: the name does not end in .npz")
    try:
        graph = read_graph(arguments.policy)
        layers = layers_of(graph.operations, graph.input)
        worst = write(layers, arguments.network, graph.compute)
    except (NotAChainError, OSError) as error:
        print(f"{arguments.policy}: {error}", file=sys.stderr)
        return 1
    for kind, path in (("original", arguments.policy), ("network", arguments.network)):
        print(f"sha256 of the {kind}: {hashlib.sha256(path.read_bytes()).hexdigest()}")
    print(f"{' '.join(layer.kind for layer in layers)}; largest difference in {TRIES} inputs: {worst:.2g}")
    return 0


def write(layers: list[Layer], path: Path, compute) -> float:  # noqa: ANN001
    """Compare with what ``compute`` gives for random inputs, then write; the largest difference.

    Raises:
        NotAChainError: the difference is too large, or no layer tells the number of inputs.
    """
    inputs = next((one.arrays[0].shape[-1] for one in layers if one.kind in ("linear", "affine")), None)
    if inputs is None:
        raise NotAChainError("no layer is linear or affine: the number of inputs is not known")
    network = Network(tuple(layers), inputs, 0)
    chance, worst = np.random.default_rng(0), 0.0
    for number in range(TRIES):
        x = chance.normal(0.0, 0.01 * 1.0233**number, inputs).astype(np.float32)
        y, wanted = outputs_of(network, x), compute(x)
        if y.shape != wanted.shape:
            raise NotAChainError(f"the layers give {len(y)} values, the original {len(wanted)}")
        worst = max(worst, float(np.max(np.abs(y - wanted)) / max(1.0, np.max(np.abs(wanted)))))
    if not worst <= TOLERANCE:
        raise NotAChainError(f"the layers differ by {worst:.2g} from the original")
    arrays = {
        f"{number}.{name}": array
        for number, layer in enumerate(layers)
        for name, array in zip(KINDS[layer.kind], layer.arrays, strict=True)
    }
    np.savez(path, layers=np.array([layer.kind for layer in layers]), **arrays)
    return worst


if __name__ == "__main__":
    sys.exit(main())
