# SPDX-License-Identifier: Apache-2.0
"""The manifests of public policies fit the T1; their networks are not part of this package."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import yaml
from motion_stage import T1

from embodiment_bridge.body.policy import TERMS
from embodiment_bridge.body.policy_file import read_policy
from embodiment_bridge.core.errors import ConfigError

FOLDER = Path(__file__).parents[2] / "config/policies"
MANIFESTS = sorted(FOLDER.glob("*.yaml"))
JOINTS = {joint.name: joint for joint in T1.joints}
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
    policy = read_policy(network, JOINTS)
    assert policy.name == path.stem
    assert {term.name for term in policy.terms} <= set(TERMS)
    assert sum(len(term.scale) for term in policy.terms) * policy.frames == inputs


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_the_network_of_a_manifest_is_said_to_be_elsewhere(path):
    with pytest.raises(ConfigError, match=r"is not there.*https://github\.com/.*licence Apache-2\.0"):
        read_policy(path.with_suffix(".npz"), JOINTS)


def test_every_manifest_is_known_here():
    assert {path.stem for path in MANIFESTS} == set(INPUTS) == set(OUTPUTS)
