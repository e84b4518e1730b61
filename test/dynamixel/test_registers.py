# SPDX-License-Identifier: Apache-2.0
"""Register access: what it finds, refuses and survives, on a terminal and on TCP."""

import json

import pytest
from waiting import until

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.commands.servos import ports_here
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.port import Port
from embodiment_bridge.dynamixel.bus.registers import Registers
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

PATIENT = 3.0  # s; the machine may be busy


@pytest.fixture
def bus():
    return VirtualBus([(1, "xm430_w350"), (2, "xl430_w250"), (3, "ax_12a"), (4, "xm430_w350")])


@pytest.fixture
def served(bus, tmp_path):
    with VirtualPort(bus, link=str(tmp_path / "tty"), listen=("127.0.0.1", 0)) as port:
        yield port


@pytest.fixture(params=["terminal", "tcp"])
def name(request, served):
    return served.link if request.param == "terminal" else f"socket://{served.host}:{served.port}"


@pytest.fixture
def registers(name):
    with Registers(name, usb_s=PATIENT) as found:
        yield found


def test_scan_finds_all(registers):
    found = registers.scan(range(2, 5), (1, 2))  # each that is not there is waited for
    assert [(each.id, each.protocol, each.model, each.firmware) for each in found] == [
        (2, 2, "XL430-W250", 47),
        (4, 2, "XM430-W350", 47),
        (3, 1, "AX-12A", 24),
    ]


def test_waiting_for_nobody_is_no_spinning(registers, monkeypatch):
    calls = []
    read = Port.read
    monkeypatch.setattr(Port, "read", lambda port, left: calls.append(left) or read(port, left))
    with pytest.raises(LinkError, match="servo 9 does not answer at 1000000 baud"):
        registers.ping(9, (2,))
    assert 0 < len(calls) < 5  # dynamixel-sdk reads some thousand times


def test_read_and_write(registers, bus):
    assert registers.read(1, "present_position") == 2048
    assert registers.read(3, "present_position") == 512
    assert registers.read_all(2)["position_d_gain"] == 4000
    assert registers.write(1, "goal_current", -1) is True
    assert registers.read(1, "goal_current") == -1
    assert registers.write(3, "goal_position", 600) is True


def test_eeprom_is_written_only_if_it_differs(registers, bus):
    assert registers.write(1, "velocity_limit", 150) is True
    before = bus.counters[1, "write"]
    assert registers.write(1, "velocity_limit", 150) is False
    assert bus.counters[1, "write"] == before


def test_reboot_and_backup(registers, bus, monkeypatch):
    monkeypatch.setattr("embodiment_bridge.dynamixel.virtual.servo.BOOT_S", 60.0)  # longer than any pause
    registers.backup(1)
    registers.write(1, "led", 1)
    registers.backup(1, restore=True)
    assert registers.read(1, "led") == 0
    registers.reboot(1)
    with pytest.raises(LinkError):
        registers.ping(1)


def test_an_id_that_is_taken_is_not_given_away(served, bus):
    with Registers(served.link, usb_s=0.2) as registers:
        for id in (1, 3):
            with pytest.raises(CommandError, match=f"id {id} is taken"):
                registers.write(2, "id", id)
        assert registers.write(2, "id", 7)
        assert (registers.ping(7, (2,)).id, registers.read(7, "id")) == (7, 7)
        assert sorted(bus.snapshot()) == [1, 3, 4, 7]


def test_eeprom_with_torque_on_says_what_helps(registers):
    registers.write(1, "torque_enable", 1)
    with pytest.raises(
        CommandError, match="servo 1 refuses drive_mode: its torque is on, and EEPROM is locked"
    ):
        registers.write(1, "drive_mode", 1)


def test_two_servos_with_one_id_are_told(served, bus, capsys):
    bus.inject("duplicate_id", id=2)
    with Registers(served.link, usb_s=0.2) as registers:
        with pytest.raises(
            LinkError, match="servo 2: its answers come damaged: do several servos have this id"
        ):
            registers.ping(2, (2,))
        with pytest.raises(CommandError, match="id 2 is taken"):
            registers.write(1, "id", 2)
        assert [found.id for found in registers.scan(range(1, 5))] == [1, 4]
        assert registers.damaged == [2]
    assert main(["servos", served.link, "--wait", "200", "--baud", "1000000", "scan", "--ids", "1-4"]) == 2
    read = capsys.readouterr()
    assert [json.loads(line)["id"] for line in read.out.splitlines()] == [1, 4]
    assert "answers from id 2 come damaged: several servos with one id" in read.err


def test_what_cannot_be_is_named(registers):
    with pytest.raises(ConfigError, match="unknown register of XM430-W350 'goal'"):
        registers.read(1, "goal")
    with pytest.raises(CommandError, match="torque_enable is 2; it must be from 0 to 1"):
        registers.write(1, "torque_enable", 2)
    with pytest.raises(CommandError, match="moving of XM430-W350 can only be read"):
        registers.write(1, "moving", 1)
    with pytest.raises(CommandError, match="servo 1 refuses: data_limit error"):
        registers.write(1, "goal_velocity", 900)
    with pytest.raises(CommandError, match="cannot be rebooted"):
        registers.reboot(3)


def test_shut_down_servo_says_what_helps(registers, bus):
    bus.inject("hardware_error", id=2, bits=0x20)
    with pytest.raises(CommandError, match="until it is rebooted"):
        registers.write(2, "torque_enable", 1)
    assert registers.read(2, "hardware_error_status") == 0x20  # readable in spite of the alert


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("drop_status", LinkError),
        ("corrupt_crc", LinkError),
        ("truncate", LinkError),
        ("empty_status", CommandError),
    ],
)
def test_fault_is_an_error_and_never_a_zero(registers, bus, kind, error):
    assert registers.read(1, "present_position") == 2048
    bus.inject(kind, id=1, count=1)
    with pytest.raises(error):
        registers.read(1, "present_position")
    assert registers.read(1, "present_position") == 2048


def test_unknown_model_is_told(registers, bus):
    bus.inject("wrong_identity", id=4, model_number=9999)
    assert registers.ping(4).model == ""
    with pytest.raises(ConfigError, match="unknown model number 9999"):
        registers.read(4, "led")


def test_unplugged_and_plugged_in_again(served, bus):
    with Registers(served.link, usb_s=PATIENT) as registers:
        rule = bus.inject("unplug")
        until(lambda: not served.plugged)
        with pytest.raises(LinkError):
            registers.ping(1)
        bus.heal(rule)
        until(lambda: served.plugged)
    with Registers(served.link, usb_s=PATIENT) as registers:
        assert registers.ping(1).model == "XM430-W350"


def test_port_is_for_one_only(served):
    with Registers(served.link), pytest.raises(LinkError):
        Registers(served.link)


@pytest.mark.parametrize(
    ("name", "baud", "error"), [("/dev/nothing", 1_000_000, LinkError), ("/dev/x", 5, ConfigError)]
)
def test_port_that_cannot_be_opened_is_named(name, baud, error):
    with pytest.raises(error, match=r"/dev/nothing|baud rate is 5"):
        Registers(name, baud)


def test_any_baud_rate_of_a_servo(tmp_path):
    bus = VirtualBus([(1, "xm430_w350")], baud=4_500_000)
    with VirtualPort(bus, link=str(tmp_path / "tty")) as port:
        with Registers(port.link, 4_500_000, PATIENT) as registers:
            assert registers.ping(1).model == "XM430-W350"
        with Registers(port.link, 57_600) as registers, pytest.raises(LinkError):
            registers.ping(1)


def test_stuffed_values_come_and_go_unharmed(registers, bus):
    assert registers.write(
        1, "goal_current", -1
    )  # FF FF before goal_velocity FD FF FF FF: the SDK forgets to stuff it
    assert registers.write(1, "goal_velocity", -3)
    assert (registers.read(1, "goal_current"), registers.read(1, "goal_velocity")) == (-1, -3)


def test_command_line(served, capsys):
    assert main(["servos", served.link, "--wait", "150", "scan"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == [1, 2, 4]
    assert main(["servos", served.link, "--wait", "2000", "write", "1", "led", "1"]) == 0
    assert main(["servos", served.link, "--wait", "2000", "read", "1", "led"]) == 0
    assert capsys.readouterr().out.splitlines() == ['{"written": true}', '{"led": 1}']
    assert main(["servos", served.link, "--wait", "150", "ping", "77"]) == 2
    assert "servo 77 does not answer" in capsys.readouterr().err


def test_scan_looks_at_the_rates_of_new_servos(tmp_path, capsys):
    for baud, given in ((57_600, ()), (1_000_000, ()), (2_000_000, ("--baud", "2000000"))):
        bus = VirtualBus([(1, "xm430_w350")], baud=baud)
        with VirtualPort(bus, link=str(tmp_path / "tty")) as port:
            assert main(["servos", port.link, "--wait", "150", *given, "scan"]) == 0
        (row,) = (json.loads(line) for line in capsys.readouterr().out.splitlines())
        assert (row["id"], row["model"], row["baud"]) == (1, "XM430-W350", baud)


def test_scan_of_a_socket_looks_once(served, capsys):
    assert main(["servos", f"socket://{served.host}:{served.port}", "--wait", "150", "scan"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_scan_that_finds_nothing_says_what_else_to_try(tmp_path, capsys):
    bus = VirtualBus([(1, "ax_12a")])
    with VirtualPort(bus, link=str(tmp_path / "tty")) as port:
        assert main(["servos", port.link, "--wait", "150", "scan"]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "no servo answers at 57600 and 1000000 baud with protocol 2: power, wiring?" in printed.err
        assert "'scan --protocol 1'" in printed.err
        words = ["servos", port.link, "--wait", "150", "scan", "--protocol", "1", "--ids", "1-2"]
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out)["model"] == "AX-12A"


def test_a_port_that_is_not_there_is_answered_with_those_that_are(tmp_path, capsys):
    assert main(["servos", "/dev/nothing", "scan"]) == 2
    assert "serial ports here: " in capsys.readouterr().err
    assert ports_here(tmp_path) == "serial ports here: none: is the adapter plugged in?"
    for name in ("ttyUSB1", "ttyACM0", "tty7"):
        (tmp_path / name).touch()
    assert ports_here(tmp_path) == f"serial ports here: {tmp_path}/ttyUSB1, {tmp_path}/ttyACM0"
