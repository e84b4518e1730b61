# SPDX-License-Identifier: Apache-2.0
"""A bus driver on virtual servos, without ROS."""

import time
from collections.abc import Callable
from pathlib import Path

from waiting import THREAD, until

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.requests import BusRequest
from embodiment_bridge.dynamixel.bus.servo import SERVING, JointReading
from embodiment_bridge.dynamixel.config.calibration import Stored
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

MODELS = ("xm430_w350", "xl430_w250", "xm430_w350", "xl430_w250", "xm430_w350")
MARGIN_S = 0.03
ASKED = 5  # times at most


def servo(id: int, **fields) -> ServoConfig:
    """A servo with limits, on joint ``j<id>``."""
    usual = {
        "model": MODELS[(id - 1) % len(MODELS)],
        "lower": -1.5,
        "upper": 1.5,
        "velocity": 4.0,
        "effort": 1.0,
        "soft_start_s": 0.05,
    }
    return ServoConfig(f"j{id}", id, **{**usual, **fields})


def counted(*configs: ServoConfig, turns: int = 0) -> dict[str, Stored]:
    """What a calibration file has of servos that were in the middle of a turn when the driver ended."""
    ticks = 2048 + 4096 * turns
    return {config.joint: Stored(config.id, config.model, ticks=ticks, clean=True) for config in configs}


class DrivenServos:
    """Servos with ids 1..n on a virtual bus, and their driver; ``start`` waits until it reads them."""

    def __init__(
        self, folder: Path, servos: list[ServoConfig] | None = None, *, stored=None, models=None, **bus
    ) -> None:
        self.link = str(folder / "servos")
        self.configs = servos or [servo(id) for id in range(1, 6)]
        models = models or [config.model for config in self.configs]
        ids = [config.id for config in self.configs]
        self.virtual = VirtualBus(list(zip(ids, models, strict=True)), chain="continue")
        self.port: VirtualPort | None = VirtualPort(self.virtual, link=self.link)
        config = BusConfig("test", self.link, tuple(self.configs), **bus)
        self.bus = ServoBus(config, stored, margin_s=MARGIN_S)

    def start(self, *, active: bool = True) -> "DrivenServos":
        self.bus.start()
        self.until(lambda: self.bus.state in SERVING)
        if active:
            self.activate()
        return self

    def activate(self) -> None:
        self.bus.activate(True)
        self.until(lambda: all(reading.torque or reading.silent for reading in self.bus.readings()))

    def until(self, condition: Callable[[], bool], patience: float = THREAD) -> None:
        until(condition, lambda: (self.bus.state, self.bus.reason, self.bus.readings()), patience)

    def drive(self, seconds: float, **joints: float) -> None:
        """Command positions (rad) for a while."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.bus.command({name: Target(position, 0.0, 0.0) for name, position in joints.items()})
            time.sleep(0.01)

    def drive_until(self, condition: Callable[[], bool], **targets: Target) -> None:
        def step() -> bool:
            self.bus.command(targets)
            return condition()

        self.until(step)

    def asked(self, request: BusRequest) -> list[tuple[bool, str, int]]:
        """A list that gets the answer to a request."""
        answers: list[tuple[bool, str, int]] = []
        self.bus.request(request, lambda *answer: answers.append(answer))
        return answers

    def ask(self, request: BusRequest, times: int = ASKED) -> tuple[bool, str, int]:
        """The answer to a request, which is made again while a servo is too late because the machine is busy."""
        answers = self.asked(request)
        self.until(lambda: bool(answers))
        if times > 1 and answers[0][1].endswith(("does not answer", "does not report its position")):
            return self.ask(request, times - 1)
        return answers[0]

    def reading(self, id: int) -> JointReading:
        return next(reading for reading in self.bus.readings() if reading.joint == f"j{id}")

    def age(self, id: int) -> float:
        return time.monotonic() - self.reading(id).heard

    def register(self, id: int, name: str) -> int:
        return self.virtual.snapshot()[id][name]

    def close(self) -> None:
        self.bus.stop()
        if self.port is not None:
            self.port.close()
