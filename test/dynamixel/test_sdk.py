# SPDX-License-Identifier: Apache-2.0
"""dynamixel-sdk opens the virtual bus and passes, its packets are ours, and the driver may use a port that it opens."""

import sys
import termios

import dynamixel_sdk as sdk
import pytest
from driver_stage import servo

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import open_port, open_sdk_port
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoSetup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.dynamixel.wire import packet

OK = (sdk.COMM_SUCCESS, 0)
IDS = range(1, 7)
POSITION, GOAL = 132, 116


def four(value):
    return list(value.to_bytes(4, "little"))


@pytest.fixture
def bus():
    return VirtualBus([(id, "xm430_w350" if id % 2 else "xl430_w250") for id in IDS])


@pytest.fixture
def link(bus, tmp_path):
    with VirtualPort(bus, link=str(tmp_path / "ttyDXL0")) as port:
        yield port.link


@pytest.fixture
def port(link, monkeypatch):
    monkeypatch.setattr(sdk.port_handler, "LATENCY_TIMER", 500)  # ms, twice; the machine may be busy
    found = sdk.PortHandler(link)
    assert found.openPort()
    assert found.setBaudRate(1_000_000)  # closes it and opens it again
    yield found
    found.closePort()


@pytest.fixture
def handler():
    return sdk.PacketHandler(2.0)


def test_ping_and_broadcast_ping(port, handler):
    assert handler.ping(port, 1) == (1020, 0, 0)
    found, result = handler.broadcastPing(port)
    assert result == sdk.COMM_SUCCESS
    assert found == {id: [1020 if id % 2 else 1060, 47] for id in IDS}


def test_read_and_write_of_all_sizes(port, handler):
    assert handler.write1ByteTxRx(port, 1, 65, 1) == OK
    assert handler.write2ByteTxRx(port, 1, 84, 500) == OK
    assert handler.write4ByteTxRx(port, 1, 112, 70000) == (sdk.COMM_SUCCESS, 4)
    assert handler.write4ByteTxRx(port, 1, 112, 100) == OK
    assert handler.read1ByteTxRx(port, 1, 65) == (1, *OK)
    assert handler.read2ByteTxRx(port, 1, 84) == (500, *OK)
    assert handler.read4ByteTxRx(port, 1, 112) == (100, *OK)


def test_registered_write_reboot_and_clear(port, handler):
    assert handler.regWriteTxRx(port, 2, 65, 1, [1]) == OK
    assert handler.action(port, 254) == sdk.COMM_SUCCESS
    assert handler.read1ByteTxRx(port, 2, 65) == (1, *OK)
    assert handler.clearMultiTurn(port, 2) == OK
    assert handler.reboot(port, 2) == OK
    assert handler.ping(port, 2)[1] == sdk.COMM_RX_TIMEOUT  # it restarts


@pytest.mark.parametrize("kind", ["txRxPacket", "fastSyncRead"])
def test_sync_read(bus, port, handler, kind):
    group = sdk.GroupSyncRead(port, handler, 126, 10)
    assert all(group.addParam(id) for id in IDS)
    assert getattr(group, kind)() == sdk.COMM_SUCCESS
    for id in IDS:
        assert group.isAvailable(id, POSITION, 4)
        assert group.getData(id, POSITION, 4) == bus.snapshot()[id]["present_position"]


def test_sync_write(bus, port, handler):
    group = sdk.GroupSyncWrite(port, handler, GOAL, 4)
    assert all(group.addParam(id, four(2000 + id)) for id in IDS)
    assert group.txPacket() == sdk.COMM_SUCCESS
    assert handler.ping(port, 1)[1] == sdk.COMM_SUCCESS  # so that it has arrived
    assert [bus.snapshot()[id]["goal_position"] for id in IDS] == [2000 + id for id in IDS]


@pytest.mark.parametrize("kind", ["txRxPacket", "fastBulkRead"])
def test_bulk_read(port, handler, kind):
    group = sdk.GroupBulkRead(port, handler)
    assert group.addParam(1, POSITION, 4)
    assert group.addParam(2, 144, 2)
    assert group.addParam(5, 146, 1)
    assert getattr(group, kind)() == sdk.COMM_SUCCESS
    assert [group.getData(1, POSITION, 4), group.getData(2, 144, 2), group.getData(5, 146, 1)] == [
        2048,
        120,
        25,
    ]


def test_bulk_write(bus, port, handler):
    group = sdk.GroupBulkWrite(port, handler)
    assert group.addParam(1, GOAL, 4, four(1900))
    assert group.addParam(2, 65, 1, [1])
    assert group.txPacket() == sdk.COMM_SUCCESS
    assert handler.ping(port, 1)[1] == sdk.COMM_SUCCESS
    shot = bus.snapshot()
    assert (shot[1]["goal_position"], shot[2]["led"]) == (1900, 1)


def test_indirect(port, handler):
    for k in range(4):
        assert handler.write2ByteTxRx(port, 1, 168 + 2 * k, POSITION + k) == OK
    assert handler.read4ByteTxRx(port, 1, 224) == (2048, *OK)


def test_a_packet_that_it_does_not_stuff_is_not_answered(bus, port, handler):
    data = [255, 255, 253, 255, 255, 255]  # goal current -1, goal velocity -3
    assert handler.writeTxRx(port, 1, 102, 6, data)[0] == sdk.COMM_RX_TIMEOUT
    assert bus.statistics()["rejected"]["stuffing"] == 1


class Tape:
    """A port that notes what is sent and plays what is given."""

    is_using = False

    def __init__(self, answer=b""):
        self.sent = b""
        self._answer = answer

    def clearPort(self):  # noqa: N802
        pass

    def writePort(self, data):  # noqa: N802
        self.sent += bytes(data)
        return len(data)

    def setPacketTimeout(self, size):  # noqa: N802
        pass

    def readPort(self, size):  # noqa: N802
        data, self._answer = self._answer[:size], self._answer[size:]
        return data

    def isPacketTimeout(self):  # noqa: N802
        return not self._answer


TWO, ONE = sdk.Protocol2PacketHandler(), sdk.Protocol1PacketHandler()


@pytest.mark.parametrize(
    ("say", "ours"),
    [
        (lambda t: TWO.ping(t, 3), packet.ping(3)),
        (lambda t: TWO.readTx(t, 3, 132, 4), packet.read(3, 132, 4)),
        (lambda t: TWO.writeTxOnly(t, 3, 116, 4, four(512)), packet.write(3, 116, bytes(four(512)))),
        (lambda t: TWO.regWriteTxOnly(t, 3, 104, 4, four(200)), packet.reg_write(3, 104, bytes(four(200)))),
        (lambda t: TWO.action(t, 254), packet.action()),
        (lambda t: TWO.reboot(t, 3), packet.reboot(3)),
        (lambda t: TWO.factoryReset(t, 3, 2), packet.factory_reset(3)),
        (lambda t: TWO.clearMultiTurn(t, 3), packet.clear(3, "turns")),
        (lambda t: TWO.syncReadTx(t, 132, 4, [3, 7, 4], 3, False), packet.sync_read(132, 4, [3, 7, 4])),
        (lambda t: TWO.syncReadTx(t, 132, 4, [3, 7, 4], 3, True), packet.fast_sync_read(132, 4, [3, 7, 4])),
        (
            lambda t: TWO.syncWriteTxOnly(t, 116, 4, [1, *four(150), 2, *four(170)], 10),
            packet.sync_write(116, 4, {1: bytes(four(150)), 2: bytes(four(170))}),
        ),
        (lambda t: TWO.bulkReadTx(t, [1, 144, 0, 2, 0], 5, False), packet.bulk_read([(1, 144, 2)])),
        (lambda t: TWO.bulkReadTx(t, [1, 144, 0, 2, 0], 5, True), packet.fast_bulk_read([(1, 144, 2)])),
        (
            lambda t: TWO.bulkWriteTxOnly(t, [1, 32, 0, 2, 0, 160, 0], 7),
            packet.bulk_write([(1, 32, b"\xa0\0")]),
        ),
        (lambda t: ONE.readTx(t, 3, 43, 1), packet.read(3, 43, 1, protocol=1)),
        (lambda t: ONE.writeTxOnly(t, 3, 30, 2, [0, 2]), packet.write(3, 30, b"\0\2", protocol=1)),
        (
            lambda t: ONE.syncWriteTxOnly(t, 30, 2, [1, 0, 2], 3),
            packet.sync_write(30, 2, {1: b"\0\2"}, protocol=1),
        ),
    ],
)
def test_our_packets_are_those_of_the_sdk(say, ours):
    tape = Tape()
    say(tape)
    assert tape.sent == ours


@pytest.mark.parametrize("data", [b"", b"\1\2\3\4", b"\xff\xff\xfd", b"\xff\xff\xfd\xff\xff\xff\0\x08\0\0"])
def test_it_reads_our_statuses(data):
    tape = Tape(packet.status(5, 0x80, data))
    found, result = TWO.rxPacket(tape, False)
    assert result == sdk.COMM_SUCCESS
    assert (found[4], found[8], bytes(found[9 : 9 + len(data)])) == (5, 0x80, data)


def test_it_reads_our_fast_statuses():
    wire = packet.fast_status([(3, 0, b"\xff\xff\xfd\1"), (4, 0, b"\5\6\7\x08")])
    found, result = TWO.rxPacket(Tape(wire), True)
    assert (bytes(found), result) == (wire, sdk.COMM_SUCCESS)


def test_one_stuffed_answer_in_which_it_loses_a_byte():
    body = b"\xff\xff\xfd\xff\xfd\xfd"
    found, _ = TWO.rxPacket(Tape(packet.status(5, 0, body)), False)
    assert bytes(found[9 : 9 + len(body)]) != body


@pytest.fixture
def opened(monkeypatch):
    """What the SDK has opened and closed, in order."""
    told = []

    class Telling(sdk.PortHandler):
        def setupPort(self, cflag_baud):  # noqa: N802
            told.append(("open", self.port_name, self.baudrate))
            return super().setupPort(cflag_baud)

        def closePort(self):  # noqa: N802
            told.append(("close", self.port_name))
            super().closePort()

    monkeypatch.setattr(sdk, "PortHandler", Telling)
    return told


@pytest.mark.parametrize("handler", ["own", "sdk"])
def test_servos_are_driven(stages, opened, handler):
    stage = stages([servo(1), servo(2)], port_handler=handler).start()
    stage.drive_until(lambda: abs(stage.reading(1).position - 0.4) < 0.02, j1=Target(0.4, 0.0, 0.0))
    stage.close()
    expected = [("open", stage.link, 1_000_000), ("close", stage.link)]
    assert opened == (expected if handler == "sdk" else [])


def test_the_bit_rate_is_set(link, opened):
    port = open_sdk_port(link, 115_200)
    assert termios.tcgetattr(port.fileno())[4:6] == [termios.B115200] * 2
    port.close()
    assert opened == [("open", link, 115_200), ("close", link)]


def test_it_is_for_one_program_alone(link):
    first = open_sdk_port(link, 1_000_000)
    for opener in (open_sdk_port, open_port):
        with pytest.raises(LinkError, match="ttyDXL0: "):
            opener(link, 1_000_000)
    first.close()
    open_port(link, 1_000_000).close()


def test_one_that_ours_has_open_is_closed_again(link, opened):
    first = open_port(link, 1_000_000)
    with pytest.raises(LinkError, match="ttyDXL0: "):
        open_sdk_port(link, 1_000_000)
    first.close()
    assert opened == [("open", link, 1_000_000), ("close", link)]


def test_no_such_port(tmp_path):
    with pytest.raises(LinkError, match="No such file"):
        open_sdk_port(str(tmp_path / "none"), 1_000_000)


REFUSED = [
    ({"port_name": "socket://127.0.0.1:1"}, "serial devices only"),
    ({"port_name": "/dev/none", "baud_rate": 12_345}, "baud_rate 12345: port_handler 'sdk' has no such rate"),
]


def robot(tmp_path, **fields):
    config = BusConfig("arm", servos=(servo(1),), port_handler="sdk", **fields)
    return ServoRobot(ServoSetup("one", (config,)), tmp_path / "calibration.yaml")


@pytest.mark.parametrize(("fields", "why"), REFUSED)
def test_what_the_sdk_cannot_open_is_refused_before_anything_starts(tmp_path, fields, why):
    with pytest.raises(ConfigError, match=why):
        robot(tmp_path, **fields)


def test_without_the_sdk(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dynamixel_sdk", None)
    with pytest.raises(ConfigError, match="needs the package dynamixel-sdk"):
        robot(tmp_path, port_name="/dev/none")
