# SPDX-License-Identifier: Apache-2.0
"""How often a robot stays upright while it shows emotions: python measure_emotions.py BODY.yaml [EMOTION ...].

Each emotion from each of the nine stances, once with commands 0, 1, 2 and 3 cycles late and some stalls; then it walks.
"""

from pathlib import Path

import numpy as np
from command_line import options
from drives import Driven
from robot_model import RobotModel

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.carriers.gait import gait_of
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.body.state import SkillRequest

DELAYS = (0, 1, 2, 3)
SHOWN_S = 3.0
WALKED_S = 3.0


def main(path: str, *emotions: str) -> None:
    """Print a row per emotion."""
    body = read_body(Path(path))
    models = [RobotModel(body, delay) for delay in DELAYS]
    print("emotion      upright    walks on   pitch, rad        worst tilt, rad")
    for emotion in emotions or EMOTIONS:
        upright = walked = 0
        pitches, tilts = [], []
        for seed, before in enumerate(EMOTIONS):
            for model in models:
                driven = Driven(model, body, seed)
                for name in (before, emotion):
                    driven.runner.start(SkillRequest(f"{name} {driven.state.time}", name))
                    shown = driven.drive(SHOWN_S, (0.0, 0.0, 0.0))
                if driven.fallen:
                    continue
                upright += 1
                pitches.append(driven.state.pitch)
                tilts.append(max(abs(shown.pitch), abs(driven.state.roll)))
                driven.drive(WALKED_S, (0.6 * gait_of(body).walk.forward, 0.0, 0.0))
                walked += not driven.fallen
        n = len(EMOTIONS) * len(models)
        print(
            f"{emotion:10} {upright:4} of {n} {walked:4} of {n}  "
            f"{np.mean(pitches):6.3f} ± {np.std(pitches):.3f}   {max(tilts):.3f}"
        )


if __name__ == "__main__":
    parser = options(__doc__)
    parser.add_argument("emotions", nargs="*", metavar="EMOTION", help="default: all")
    given = parser.parse_args()
    main(given.body_file, *given.emotions)
