# SPDX-License-Identifier: Apache-2.0
"""Packets of the manual, worked out once more: (what, bytes, the event that they are).

The manual (emanual.robotis.com, dxl/protocol2) prints two of them wrongly: the CRC of "backup restore" as 92 F5, and
that of "fast bulk read" as 20 F2, which is the one of its fast sync read.
"""

from embodiment_bridge.dynamixel.wire import events as e


def v4(value):
    return tuple(value.to_bytes(4, "little"))


PACKETS = (
    ("ping", "FF FF FD 00 01 03 00 01 19 4E", e.Ping(1)),
    ("status of ping", "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D", e.Status(1, data=(6, 4, 38))),
    ("ping all", "FF FF FD 00 FE 03 00 01 31 42", e.Ping(254)),
    ("read", "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15", e.Read(1, 132, 4)),
    ("status 166", "FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0", e.Status(1, data=v4(166))),
    ("write", "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89", e.Write(1, 116, v4(512))),
    ("status ok", "FF FF FD 00 01 04 00 55 00 A1 0C", e.Status(1)),
    ("reg write", "FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E", e.RegWrite(1, 104, v4(200))),
    ("action", "FF FF FD 00 01 03 00 05 02 CE", e.Action(1)),
    ("factory reset", "FF FF FD 00 01 04 00 06 02 AB E6", e.FactoryReset(1, 2)),
    ("reboot", "FF FF FD 00 01 03 00 08 2F 4E", e.Reboot(1)),
    ("clear", "FF FF FD 00 01 08 00 10 01 44 58 4C 22 B1 DC", e.Clear(1, "turns")),
    ("backup store", "FF FF FD 00 01 08 00 20 01 43 54 52 4C 16 F5", e.Backup(1, "store")),
    ("backup restore", "FF FF FD 00 01 08 00 20 02 43 54 52 4C 9E F5", e.Backup(1, "restore")),
    ("sync read", "FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA", e.SyncRead(132, 4, (1, 2))),
    (
        "sync write",
        "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
        e.SyncWrite(116, (1, 2), (v4(150), v4(170))),
    ),
    (
        "bulk read",
        "FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05",
        e.BulkRead((1, 2), (144, 146), (2, 1)),
    ),
    (
        "bulk write",
        "FF FF FD 00 FE 10 00 93 01 20 00 02 00 A0 00 02 1F 00 01 00 50 B7 68",
        e.BulkWrite((1, 2), (32, 31), ((160, 0), (80,))),
    ),
    (
        "fast sync read",
        "FF FF FD 00 FE 0A 00 8A 84 00 04 00 03 07 04 20 F2",
        e.FastSyncRead(132, 4, (3, 7, 4)),
    ),
    (
        "fast status",
        "FF FF FD 00 FE 19 00 55 00 03 A6 00 00 00 84 08 00 07 1F 08 00 00 16 CA 00 04 FF 03 00 00 D1 9E",
        e.FastStatus((3, 7, 4), ("", "", ""), (False,) * 3, (v4(166), v4(2079), v4(1023))),
    ),
    (
        "fast bulk read",
        "FF FF FD 00 FE 12 00 9A 03 84 00 04 00 07 7C 00 02 00 04 92 00 01 00 DA 2D",
        e.FastBulkRead((3, 7, 4), (132, 124, 146), (4, 2, 1)),
    ),
    (
        "stuffed write: current -1, velocity -3",
        "FF FF FD 00 04 0C 00 03 66 00 FF FF FD FD FF FF FF 8C 34",
        e.Write(4, 102, (255, 255, 253, 255, 255, 255)),
    ),
    (
        "stuffed status: current -1, velocity -3, position 2048",
        "FF FF FD 00 01 0F 00 55 00 FF FF FD FD FF FF FF 00 08 00 00 49 F0",
        e.Status(1, data=(255, 255, 253, 255, 255, 255, 0, 8, 0, 0)),
    ),
    ("status error 3", "FF FF FD 00 01 04 00 55 03 AB 0C", e.Status(1, "crc")),
    ("status error 7", "FF FF FD 00 01 04 00 55 07 B0 8C", e.Status(1, "access")),
    ("status alert", "FF FF FD 00 01 04 00 55 80 A2 8F", e.Status(1, alert=True)),
    ("1.0 ping", "FF FF 01 02 01 FB", e.Ping(1, 1)),
    ("1.0 read temperature", "FF FF 01 04 02 2B 01 CC", e.Read(1, 43, 1, 1)),
    ("1.0 write goal 512", "FF FF 01 05 03 1E 00 02 D6", e.Write(1, 30, (0, 2), 1)),
    ("1.0 register for later", "FF FF 01 05 04 1E F4 01 E2", e.RegWrite(1, 30, (0xF4, 1), 1)),
    ("1.0 action", "FF FF FE 02 05 FA", e.Action(254, 1)),
    ("1.0 factory reset", "FF FF 00 02 06 F7", e.FactoryReset(0, 255, 1)),
    ("1.0 reboot", "FF FF 01 02 08 F4", e.Reboot(1, 1)),
    ("1.0 bulk read", "FF FF FE 09 92 00 02 01 1E 02 02 24 1D", e.BulkRead((1, 2), (30, 36), (2, 2), 1)),
    (
        "1.0 sync write",
        "FF FF FE 0E 83 1E 04 00 10 00 50 01 01 20 02 60 03 67",
        e.SyncWrite(30, (0, 1), ((16, 0, 80, 1), (32, 2, 96, 3)), 1),
    ),
)
STATUS_OF_TEMPERATURE = bytes.fromhex("FF FF 01 03 00 20 DB")
