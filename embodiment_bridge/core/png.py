# SPDX-License-Identifier: Apache-2.0
"""Writes pictures as PNG."""

import struct
import zlib


def png(width: int, height: int, rgb: bytes) -> bytes:
    """A picture of 8 bits per colour as a PNG file; ``rgb`` has its rows from the top, without padding."""
    rows = b"".join(b"\0" + rgb[3 * width * row : 3 * width * (row + 1)] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
