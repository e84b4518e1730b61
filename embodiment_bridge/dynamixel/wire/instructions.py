# SPDX-License-Identifier: Apache-2.0
"""The numbers of both protocols (https://emanual.robotis.com/docs/en/dxl/protocol2/ and protocol1/)."""

from enum import IntEnum, IntFlag
from typing import Final

BROADCAST: Final = 0xFE  # all servos execute it; they answer only to ping and group reads
HIGHEST_ID: Final = 252
ALERT: Final = 0x80  # bit of a 2.0 status error: the servo has a bit set in hardware_error_status


class Instruction(IntEnum):
    """The instruction byte of a packet. Protocol 1.0 has those up to 0x92 that are not sync read or write of 2.0."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    BACKUP = 0x20
    STATUS = 0x55
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A
    BULK_READ = 0x92
    BULK_WRITE = 0x93
    FAST_BULK_READ = 0x9A


class Fault(IntEnum):
    """Error number of a 2.0 status, bits 0 to 6 of the error byte: why an instruction was not carried out."""

    NONE = 0
    RESULT = 1
    INSTRUCTION = 2
    CRC = 3
    DATA_RANGE = 4
    DATA_LENGTH = 5
    DATA_LIMIT = 6
    ACCESS = 7


class Error1(IntFlag):
    """Error bits of a 1.0 status."""

    VOLTAGE = 0x01
    ANGLE_LIMIT = 0x02
    OVERHEATING = 0x04
    RANGE = 0x08
    CHECKSUM = 0x10
    OVERLOAD = 0x20
    INSTRUCTION = 0x40


class HardwareError(IntFlag):
    """Bits of ``hardware_error_status`` (70) and of ``shutdown`` (63) of the X and MX series."""

    VOLTAGE = 0x01
    HALL = 0x02
    OVERHEATING = 0x04
    ENCODER = 0x08
    SHOCK = 0x10
    OVERLOAD = 0x20
