# SPDX-License-Identifier: Apache-2.0
"""The answers of servos, in one form for both protocols."""

from dataclasses import dataclass
from typing import NamedTuple

from embodiment_bridge.dynamixel.wire.decoder import Packet
from embodiment_bridge.dynamixel.wire.instructions import ALERT, Error1, Fault

OLD_FAULTS = (
    (Error1.RANGE | Error1.ANGLE_LIMIT, Fault.DATA_RANGE),
    (Error1.INSTRUCTION, Fault.INSTRUCTION),
    (Error1.CHECKSUM, Fault.CRC),
)
OLD_HARDWARE = Error1.VOLTAGE | Error1.OVERHEATING | Error1.OVERLOAD  # bits as in HardwareError


class Answer(NamedTuple):
    """The answer of one servo. ``error`` is the whole byte of the status; see ``fault`` and ``alert``."""

    error: int
    data: bytes
    hardware: int = 0  # bits of HardwareError, from servos of Protocol 1.0, which have no register for them

    @property
    def fault(self) -> int:
        """A ``Fault``: why the instruction was not carried out; 0 when it was."""
        return self.error & ~ALERT

    @property
    def alert(self) -> bool:
        """Whether the servo has a hardware error."""
        return bool(self.error & ALERT)


class Combined(NamedTuple):
    """The answer to a fast read: ``raw`` when it is complete and correct, else the ``answers`` of single servos."""

    raw: bytes
    answers: dict[int, Answer]


@dataclass(slots=True)
class Counters:
    """Counters of one servo: answers received, missing and damaged."""

    answers: int = 0
    timeouts: int = 0
    damaged: int = 0


def answer_of(item: Packet) -> Answer:
    """The answer in a status of either protocol."""
    if item.protocol == 2:
        return Answer(item.error, b"" if item.error & ~ALERT else item.parameters)
    fault = next((number for bits, number in OLD_FAULTS if item.error & bits), 0)
    hardware = item.error & OLD_HARDWARE
    return Answer(fault | (ALERT if hardware else 0), b"" if fault else item.parameters, hardware)
