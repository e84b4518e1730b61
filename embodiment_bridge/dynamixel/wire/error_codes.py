# SPDX-License-Identifier: Apache-2.0
"""The error codes of the Y series, which reports one number where other servos report bits."""

from typing import Final

from embodiment_bridge.dynamixel.wire.instructions import HardwareError

CODES: Final = {  # error_code: what other servos report
    1: HardwareError.VOLTAGE,
    2: HardwareError.VOLTAGE,
    3: HardwareError.OVERHEATING,
    4: HardwareError.OVERHEATING,
    5: HardwareError.OVERLOAD,
    7: HardwareError.SHOCK,  # inverter
    10: HardwareError.ENCODER,  # battery of the counter of turns
    11: HardwareError.ENCODER,  # turns lost
    12: HardwareError.ENCODER,  # counter of turns
    13: HardwareError.ENCODER,
    14: HardwareError.HALL,
    15: HardwareError.ENCODER,  # calibration
}
HARMLESS: Final = (0, 9, 17, 18, 19, 20)  # none, warning of the battery, and what the driver itself watches


def error_bits(code: int) -> HardwareError:
    """The bits of HardwareError for an error code; a code that is not known counts as a fault of the encoder."""
    if code in HARMLESS:
        return HardwareError(0)
    return CODES.get(code, HardwareError.ENCODER)


def error_code(bits: int) -> int:
    """The first error code that stands for one of these bits; 0 for none."""
    return next((code for code, bit in CODES.items() if bits & bit), 0)
