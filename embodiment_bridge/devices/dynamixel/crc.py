# SPDX-License-Identifier: Apache-2.0
"""The checksum of Protocol 2.0: CRC-16 with polynomial 0x8005, initial value 0, not reflected (CRC-16/UMTS)."""

from functools import cache
from struct import unpack_from
from typing import Final

POLYNOMIAL: Final = 0x8005


def _byte_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte << 8
        for _ in range(8):
            value = (value << 1 ^ (POLYNOMIAL if value & 0x8000 else 0)) & 0xFFFF
        table.append(value)
    return tuple(table)


_BYTES: Final = _byte_table()


@cache
def _words() -> list[int]:
    """Checksum of every pair of bytes: one look-up for two bytes makes a packet of 19 bytes take 0.6 us, not 1."""
    return [
        _BYTES[_BYTES[word >> 8] >> 8 ^ word & 0xFF] ^ (_BYTES[word >> 8] << 8 & 0xFFFF)
        for word in range(65536)
    ]


def crc16(data: bytes | bytearray, start: int = 0) -> int:
    """Checksum of ``data``; ``start`` is that of the bytes before it."""
    words = _words()
    pairs, odd = divmod(len(data), 2)
    value = start
    for pair in unpack_from(f">{pairs}H", data):
        value = words[value ^ pair]
    if odd:
        value = (value << 8 & 0xFF00) ^ _BYTES[(value >> 8) ^ data[-1]]
    return value
