# SPDX-License-Identifier: Apache-2.0
"""Measures the walking skills of a body file in the model: python measure.py BODY.yaml.

Each skill three times in a row, from two first poses, with commands that come 0, 1, 2 and 3 cycles late: mean and
spread.
"""

from pathlib import Path

import numpy as np
from command_line import options
from robot_model import RobotModel
from trial import Outcome, Trial

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription

SKILLS: tuple[tuple[str, dict[str, float]], ...] = (
    ("step_forward", {}),
    ("step_backward", {}),
    ("step_left", {}),
    ("step_right", {"distance": 0.5}),
    ("turn_left", {}),
    ("turn_right", {}),
    ("walk", {"distance": 2.0}),
    ("walk", {"distance": -1.0}),
    ("turn_left", {"angle": 1.5708}),
    ("turn_right", {"angle": 1.5708}),
    ("foot_pitch", {}),
    ("foot_yaw", {}),
)
DELAYS = (0, 1, 2, 3)
SEEDS = (0, 1)
TIMES = 3
PATIENCE_S = 15.0


def outcomes(
    model: RobotModel, body: BodyDescription, name: str, parameters: dict[str, float]
) -> list[Outcome]:
    """The outcome of each try in one model."""
    done = []
    for seed in SEEDS:
        trial = Trial(model, body, seed)
        done += [trial.do(name, PATIENCE_S, **parameters) for _ in range(TIMES)]
    return done


def main(path: str) -> None:
    """Print a row per skill."""
    body = read_body(Path(path))
    models = [RobotModel(body, delay) for delay in DELAYS]
    print("skill                      done   forward m         left m            turned rad        s")
    for name, parameters in SKILLS:
        done = [outcome for model in models for outcome in outcomes(model, body, name, parameters)]
        given = " ".join(f"{key} {value:g}" for key, value in parameters.items())
        values = np.array([(o.forward, o.left, o.turned, o.seconds) for o in done])
        columns = [f"{m:7.3f} ± {s:.3f}" for m, s in zip(values.mean(0), values.std(0), strict=True)]
        print(f"{f'{name} {given}':25} {sum(o.ended for o in done):2}/{len(done)}  {'  '.join(columns)}")


if __name__ == "__main__":
    main(options(__doc__).parse_args().body_file)
