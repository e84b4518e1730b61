# SPDX-License-Identifier: Apache-2.0
"""How often a robot gets up in the model: python measure_get_up.py BODY.yaml.

Five pushes to each side while it stands, and five times laid on its left and its right side; from each of these poses
one try with commands that come 0, 1, 2 and 3 cycles late.
"""

from pathlib import Path

from command_line import options
from falls import Attempt, Pose, fallen, laid
from robot_model import RobotModel

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription

LAID = 5
PUSHES = (130.0, 155.0, 180.0, 205.0, 230.0)  # N
DELAYS = (0, 1, 2, 3)
SEED = 30
STANDS = 5.0  # points of a robot that is up


def main(path: str) -> None:
    """Print a row per side."""
    body = read_body(Path(path))
    models = [RobotModel(body, delay) for delay in DELAYS]
    for side, sign in (("front", 1.0), ("back", -1.0)):
        _measure(
            side, models, body, [fallen(models[1], body, SEED + i, sign * p) for i, p in enumerate(PUSHES)]
        )
    for side in ("left", "right"):
        _measure(side, models, body, [laid(models[1], body, SEED + i, side == "left") for i in range(LAID)])


def _measure(side: str, models: list[RobotModel], body: BodyDescription, poses: list[Pose]) -> None:
    up = 0
    for model in models:
        for pose in poses:
            attempt = Attempt(model, body, pose)
            attempt.play()
            up += attempt.upright > STANDS
    print(f"{side:5} {up} of {len(models) * len(poses)}", flush=True)


if __name__ == "__main__":
    main(options(__doc__).parse_args().body_file)
