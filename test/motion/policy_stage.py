# SPDX-License-Identifier: Apache-2.0
"""A T1 with a made-up policy: a network of one layer whose action does not depend on much."""

import hashlib
from pathlib import Path

import numpy as np
import yaml
from motion_stage import T1_FILE, MovedBody

from embodiment_bridge.body.body_file import read_body

LEGS = [
    f"{side}_{joint}"
    for side in ("Left", "Right")
    for joint in ("Hip_Pitch", "Hip_Roll", "Hip_Yaw", "Knee_Pitch", "Ankle_Pitch", "Ankle_Roll")
]
STAND = [-0.2, 0.0, 0.0, 0.4, -0.2, 0.0]
JOINTS = dict(zip(LEGS, STAND * 2, strict=True)) | {"Left_Shoulder_Pitch": 0.2, "Right_Shoulder_Pitch": 0.2}
WIDTH = 9 + 3 * len(JOINTS)
FORWARD, TURN = 6, 8  # where in a frame the commands are
ADDRESS = "https://example.org/walk.onnx"


def network(action=0.4, **weights):
    """Arrays of a layer that gives ``action``, and more per unit of the input at ``weights`` (forward, turn)."""
    weight = np.zeros((len(JOINTS), WIDTH), np.float32)
    for name, value in weights.items():
        weight[:, {"forward": FORWARD, "turn": TURN}[name]] = value
    bias = np.full(len(JOINTS), action, np.float32)
    return {"layers": np.array(["linear"]), "0.weight": weight, "0.bias": bias}


def manifest(**changes):
    """A manifest without ``sha256``; a change to None leaves the key out."""
    data = {
        "policy": "made_up",
        "source": {"address": ADDRESS, "sha256": "ab" * 32, "licence": "Apache-2.0"},
        "rate": 50,
        "joints": dict(JOINTS),
        "action": {"scale": 0.25},
        "kp": {"legs": 100, "arm_l": 20, "arm_r": 20, "Left_Ankle_Roll": 30},
        "kd": {"legs": 2, "arm_l": 1, "arm_r": 1},
        "observation": [
            "gyro", "gravity", "forward", "left", "turn", "joint_position", "joint_velocity", "last_action",
        ],
        "least": {"forward": 0.4, "left": 0.3, "turn": 0.3},
        "walk": {
            "forward": 1.4, "backward": 0.8, "turn": 1.2, "left": 0.5, "amplitude_rate": 1.0, "forward_rate": 2.0,
            "left_rate": 2.0, "turn_rate": 4.0, "brake": 0.5, "settle_forward": 0.1, "coast_forward": 0.1,
            "coast_backward": 0.1, "coast_turn": 0.1,
        },
    }  # fmt: skip
    data |= changes
    return {key: value for key, value in data.items() if value is not None}


def write(folder: Path, arrays=None, **changes) -> Path:
    """Write policy, manifest and body file; the path of the body file."""
    np.savez(folder / "walk.npz", **(arrays if arrays is not None else network()))
    sha256 = hashlib.sha256((folder / "walk.npz").read_bytes()).hexdigest()
    (folder / "walk.yaml").write_text(
        yaml.safe_dump(manifest(**{"sha256": sha256} | changes), sort_keys=False)
    )
    body = folder / "t1.yaml"
    body.write_text(T1_FILE.read_text().replace("  waist: Waist\n", "  waist: Waist\n  policy: walk.npz\n"))
    return body


def stage(folder: Path, arrays=None, **changes) -> MovedBody:
    """A robot that obeys at once and has settled."""
    return MovedBody(read_body(write(folder, arrays, **changes)))
