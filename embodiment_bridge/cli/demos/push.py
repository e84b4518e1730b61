# SPDX-License-Identifier: Apache-2.0
"""A robot on a table, in MuJoCo: it moves, is pushed twice, and the demo says whether it stands; with a picture."""

import sys
from tempfile import NamedTemporaryFile
from typing import Final

from embodiment_bridge.cli.demos.show import Show, own_document
from embodiment_bridge.cli.demos.stage import CALL_TIMEOUT, Stage
from embodiment_bridge.cli.ending import OTHER
from embodiment_bridge.core.png import png

PUSHES: Final = (4.0, 30.0)  # N, to the side, each for PUSH_S
PUSH_S, SETTLE_S = 0.2, 2.5  # of the simulation, which is slower than the clock on a busy machine
RATE: Final = 100.0  # percepts in a second of the simulation
PATIENCE_S: Final = 60.0
PICTURE_S: Final = 20.0  # to wait for a picture; without a graphics card it takes a while, or there is none


def perform(stage: Stage) -> int:
    """Exit code as of the document; whether the robot stands after the pushes does not matter."""
    from sensor_msgs.msg import Image

    from embodiment_bridge.nodes.base.qos import profile

    pictures: list[Image] = []
    if not stage.join():
        return OTHER
    stage.begin(stage.document or own_document("on_a_table"))
    code = stage.finish()
    for force in PUSHES:
        answer = _push(stage, force)
        settle(stage)
        stage.status.end()
        posture = "stands" if stage.upright else f"HAS FALLEN, its base is at {stage.watcher.z:.2f} m"
        _say(f"pushed with {force:4g} N {answer or f'it {posture}'}")
    stage.watcher.create_subscription(Image, "camera/image_raw", pictures.append, profile("sensor"))
    stage.wait(lambda: bool(pictures), PICTURE_S)
    stage.status.end()
    if pictures:
        with NamedTemporaryFile(prefix="embodiment_bridge_push_", suffix=".png", delete=False) as file:
            file.write(png(pictures[-1].width, pictures[-1].height, bytes(pictures[-1].data)))
        _say(f"picture            {file.name}")
    else:
        _say("picture            none, this machine cannot render")
    return code


def settle(stage: Stage) -> None:
    """Wait until the push is over and the robot stands or lies."""
    end = stage.watcher.percepts + RATE * (PUSH_S + SETTLE_S)
    stage.wait(lambda: stage.watcher.percepts >= end, PATIENCE_S)


def _push(stage: Stage, force: float) -> str:
    """Push the torso to the left; returns why it could not be done."""
    from geometry_msgs.msg import Vector3

    from embodiment_bridge.srv import Push

    client = stage.watcher.create_client(Push, "push")
    try:
        if not stage.wait(client.service_is_ready, CALL_TIMEOUT):
            return "there is no service push"
        answer = client.call_async(Push.Request(link="torso", force=Vector3(y=force), duration=PUSH_S))
        stage.wait(answer.done, CALL_TIMEOUT)
        return str(answer.result().message) if answer.done() else "no answer"
    finally:
        stage.watcher.destroy_client(client)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


SHOW = Show("a desk humanoid on a table in MuJoCo moves, and is pushed", ("mujoco",), perform)
