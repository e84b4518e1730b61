# SPDX-License-Identifier: Apache-2.0
"""How often a robot gets up in the model: python measure_get_up.py BODY.yaml.

Five pushes to each side while it stands, and from each of these falls one try with commands that come 0, 1, 2 and 3
cycles late.
"""

import sys
from pathlib import Path

from falls import Attempt, fallen
from robot_model import RobotModel

from embodiment_bridge.body.body_file import read_body

PUSHES = (130.0, 155.0, 180.0, 205.0, 230.0)  # N
DELAYS = (0, 1, 2, 3)
SEED = 30
STANDS = 5.0  # points of a robot that is up


def main(path: str) -> None:
    """Print a row per side."""
    body = read_body(Path(path))
    models = [RobotModel(body, delay) for delay in DELAYS]
    for side, sign in (("front", 1.0), ("back", -1.0)):
        poses = [fallen(models[1], body, SEED + i, sign * push) for i, push in enumerate(PUSHES)]
        up = 0
        for model in models:
            for pose in poses:
                attempt = Attempt(model, body, pose)
                attempt.play()
                up += attempt.upright > STANDS
        print(f"{side:5} {up} of {len(models) * len(poses)}")


if __name__ == "__main__":
    main(sys.argv[1])
