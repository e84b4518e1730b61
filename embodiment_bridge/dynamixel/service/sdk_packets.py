# SPDX-License-Identifier: Apache-2.0
"""The packet handler of dynamixel-sdk 4.1.0 for protocol 2.0, with its packets made and read by our codec.

What the original does: forgets to stuff what it sends; loses a byte of some stuffed answers; returns the CRC as data
when a servo answers with an error; waits 0.8 s for any broadcast ping; leaves the status of an action to be read as
another's.
"""

from typing import Any, Final

import dynamixel_sdk as sdk

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.service.sdk_port import RepairedPort
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.decoder import Packet
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, HIGHEST_ID, Instruction
from embodiment_bridge.dynamixel.wire.packet import HEADER, OVERHEAD

CHUNK: Final = 4096
SLOT_MS: Final = 3.0  # time that each id has to answer a broadcast ping, as the original allows
EMPTY_STATUS: Final = 11  # bytes


class RepairedPackets(sdk.Protocol2PacketHandler):
    """Takes and gives what the original does, results included; works with a ``RepairedPort``."""

    def txPacket(self, port: RepairedPort, txpacket: Any) -> int:  # noqa: N802 - the SDK's name
        """Send a packet of which the SDK has filled in id, length, instruction and parameters."""
        if port.is_using:
            return int(sdk.COMM_PORT_BUSY)
        end = OVERHEAD + (txpacket[5] | txpacket[6] << 8) - 2
        try:
            wire = packet.instruction(txpacket[4], txpacket[7], bytes(txpacket[8:end]))
        except (CommandError, ValueError):
            return int(sdk.COMM_TX_ERROR)
        port.clearPort()
        port.is_using = True
        if port.writePort(wire) != len(wire):
            port.is_using = False
            return int(sdk.COMM_TX_FAIL)
        return int(sdk.COMM_SUCCESS)

    def rxPacket(self, port: RepairedPort, fast_option: bool) -> tuple[list[int], int]:  # noqa: N802
        """The next status, unstuffed, as the SDK lays it out; waits until it is late."""
        rejected = port.decoder.rejected.total()
        while not port.packets:
            data = port.readPort(CHUNK)
            if not data and port.isPacketTimeout():
                port.is_using = False
                spoilt = port.decoder.pending or port.decoder.rejected.total() > rejected
                return [], int(sdk.COMM_RX_CORRUPT if spoilt else sdk.COMM_RX_TIMEOUT)
            found = (each for each in port.decoder.feed(data) if isinstance(each, Packet))
            port.packets.extend(each for each in found if each.instruction == Instruction.STATUS)
        port.is_using = False
        return _laid_out(port.packets.popleft()), int(sdk.COMM_SUCCESS)

    def readTxRx(  # noqa: N802
        self, port: RepairedPort, dxl_id: int, address: int, length: int
    ) -> tuple[list[int], int, int]:
        """Bytes of a servo; an answer that has not so many is COMM_RX_FAIL, whatever follows it."""
        txpacket = [0] * 14
        txpacket[4:8] = dxl_id, OVERHEAD, 0, Instruction.READ
        txpacket[8:12] = address & 0xFF, address >> 8, length & 0xFF, length >> 8
        if dxl_id > HIGHEST_ID:
            return [], int(sdk.COMM_NOT_AVAILABLE), 0
        rxpacket, result, error = self.txRxPacket(port, txpacket)
        return (*_data(rxpacket, result, length), error)

    def readRx(self, port: RepairedPort, dxl_id: int, length: int) -> tuple[list[int], int, int]:  # noqa: N802
        """The answer of one servo to a group read."""
        while True:
            rxpacket, result = self.rxPacket(port, False)
            if result != sdk.COMM_SUCCESS or rxpacket[4] == dxl_id:
                break
        error = rxpacket[8] if result == sdk.COMM_SUCCESS else 0
        return (*_data(rxpacket, result, length), error)

    def action(self, port: RepairedPort, dxl_id: int) -> int:
        """Carry out what was registered, and take the status that one servo sends."""
        txpacket = [0] * 10
        txpacket[4:8] = dxl_id, 3, 0, Instruction.ACTION
        result = self.txPacket(port, txpacket)
        if result == sdk.COMM_SUCCESS and dxl_id != BROADCAST:
            port.setPacketTimeout(EMPTY_STATUS)
            _, result = self.rxPacket(port, False)
        port.is_using = False
        return result

    def broadcastPing(self, port: RepairedPort) -> tuple[dict[int, list[int]], int]:  # noqa: N802
        """[model number, firmware version] by id; waits asleep while servos may still answer."""
        txpacket = [0] * 10
        txpacket[4:8] = BROADCAST, 3, 0, Instruction.PING
        result = self.txPacket(port, txpacket)
        found: dict[int, list[int]] = {}
        if result == sdk.COMM_SUCCESS:
            port.setPacketTimeoutMillis((HIGHEST_ID + 1) * (SLOT_MS + 14 * port.tx_time_per_byte))
        while result == sdk.COMM_SUCCESS:
            rxpacket, result = self.rxPacket(port, False)
            if result == sdk.COMM_SUCCESS and len(rxpacket) == 14:
                found[rxpacket[4]] = [rxpacket[9] | rxpacket[10] << 8, rxpacket[11]]
        return found, int(sdk.COMM_SUCCESS) if found else result


def _laid_out(found: Packet) -> list[int]:
    if found.id == BROADCAST:
        return list(found.raw)
    length = len(found.parameters) + 4
    head = HEADER + bytes((found.id, length & 0xFF, length >> 8, found.instruction, found.error))
    return [*head, *found.parameters, *found.raw[-2:]]


def _data(rxpacket: list[int] | None, result: int, length: int) -> tuple[list[int], int]:
    if result != sdk.COMM_SUCCESS or rxpacket is None:
        return [], result
    data = rxpacket[9:-2]
    return (data, result) if len(data) == length else ([], int(sdk.COMM_RX_FAIL))
