# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge servos PORT ...`: find servos and read and write their registers."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.commands import servos_commission
from embodiment_bridge.core.errors import ConfigError, LinkError

if TYPE_CHECKING:
    from embodiment_bridge.dynamixel.bus.registers import Registers

USUAL_BAUD = 1_000_000
FACTORY_BAUDS = (57_600, USUAL_BAUD)  # new servos of the X, MX, P and Y series; a new AX
SERIAL = ("serial/by-id/*", "ttyUSB*", "ttyACM*", "ttyAMA*", "ttyDXL*")
ID = "id of the servo, 0 to 252"
EXAMPLES = """\
examples:
  embodiment_bridge servos /dev/ttyUSB0 scan
  embodiment_bridge servos /dev/ttyUSB0 --baud 1000000 scan --protocol 1 --ids 1-20
  embodiment_bridge servos /dev/ttyUSB0 read 3 present_position
  embodiment_bridge servos /dev/ttyUSB0 write 3 return_delay_time 0
  embodiment_bridge servos socket://127.0.0.1:7000 reboot 3
  embodiment_bridge servos /dev/ttyUSB0 commission --id 3
Values are raw values as in the servo's manual. No other program may have the port open. Results are printed as one
JSON object per line. Exit code 2 if no servo answers or one refuses, 1 if a step of commission fails.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "servos",
        "Find Dynamixel servos on a port; read and write their registers.",
        EXAMPLES,
        run,
    )
    command.add_argument("port", metavar="PORT", help="serial device, or socket://HOST:PORT")
    command.add_argument(
        "--baud", type=int, help=f"baud rate (default: {USUAL_BAUD}; for scan: {_words(FACTORY_BAUDS)})"
    )
    command.add_argument(
        "--wait",
        type=_milliseconds,
        default=0.034,
        metavar="MS",
        help="longest wait for an answer, besides the time of its bytes (default: 34)",
    )
    actions = command.add_subparsers(metavar="ACTION", dest="action", required=True)
    scan = _add_action(actions, "scan", "find all servos", "")
    scan.add_argument(
        "--protocol", type=int, choices=(1, 2), action="append", help="may be given twice (default: 2)"
    )
    scan.add_argument(
        "--ids",
        type=_ids,
        metavar="A-B",
        help="ids for protocol 1, which are tried one by one (default: all)",
    )
    for name, text in (
        ("ping", "one servo"),
        ("reboot", "restart a servo"),
        ("backup", "back up the control table in the servo"),
        ("restore", "restore the control table from the backup"),
    ):
        _add_action(actions, name, text, "3").add_argument("id", type=int, help=ID)
    read = _add_action(actions, "read", "read a register, or all", "3 present_position")
    read.add_argument("id", type=int, help=ID)
    read.add_argument("register", nargs="?", help="such as present_position (default: all)")
    write = _add_action(actions, "write", "write a register; one of EEPROM only if it differs", "3 led 1")
    write.add_argument("id", type=int, help=ID)
    write.add_argument("register", help="such as goal_position")
    write.add_argument("value", type=int, help="raw value, a whole number, as in the servo's manual")
    servos_commission.add(
        _add_action(actions, "commission", "a checklist for the first day with a real servo", "")
    )


def _add_action(actions: Commands, name: str, text: str, words: str) -> argparse.ArgumentParser:
    """Declare one action; ``words`` follow its name in the example of the help."""
    example = f"example: embodiment_bridge servos /dev/ttyUSB0 {name} {words}".rstrip()
    return actions.add_parser(name, help=text, epilog=example)


def run(arguments: argparse.Namespace) -> int:
    """Run one action. Exit code 0; 1 if a step of ``commission`` fails; errors are raised."""
    if arguments.action == "scan":
        return _scan(arguments)
    arguments.baud = arguments.baud or USUAL_BAUD
    registers = _opened(arguments, arguments.baud)
    if arguments.action == "commission":
        return servos_commission.act(registers, arguments)
    with registers:
        for row in _rows(registers, arguments):
            sys.stdout.write(json.dumps(row) + "\n")
    return 0


def _opened(arguments: argparse.Namespace, baud: int) -> "Registers":
    try:
        from embodiment_bridge.dynamixel.bus.registers import Registers
    except ImportError as error:
        raise ConfigError(f"register access needs pyserial: {error}") from error
    try:
        return Registers(arguments.port, baud, arguments.wait)
    except LinkError as error:
        raise LinkError(f"{error}; {ports_here()}") from error


def ports_here(devices: Path = Path("/dev")) -> str:
    """Return the serial ports of this machine, in words."""
    found = [path for form in SERIAL for path in sorted(devices.glob(form))]
    names = ", ".join(map(str, found)) or "none: is the adapter plugged in?"
    return f"serial ports here: {names}"


def _scan(arguments: argparse.Namespace) -> int:
    """Print the servos at each baud rate.

    Raises:
        LinkError: there are none; the text says what else to try.
    """
    protocols = arguments.protocol or (2,)
    bauds = FACTORY_BAUDS if arguments.baud is None else (arguments.baud,)
    if arguments.port.startswith("socket://"):
        bauds = bauds[-1:]  # the rate is set at the other end
    count, damaged = 0, list[int]()
    for baud in bauds:
        with _opened(arguments, baud) as registers:
            for found in registers.scan(arguments.ids, protocols):
                sys.stdout.write(json.dumps({**asdict(found), "baud": baud}) + "\n")
                count += 1
            damaged += registers.damaged
    if damaged:
        raise LinkError(
            f"{arguments.port}: answers from id {_words(damaged)} come damaged: several servos with one id, or a loose "
            "wire; connect them one at a time, and write each an id of its own"
        )
    if not count:
        raise LinkError(
            f"{arguments.port}: no servo answers at {_words(bauds)} baud with protocol {_words(protocols)}: power, "
            f"wiring? Without --baud, scan tries {_words(FACTORY_BAUDS)}, where new servos are; AX and MX with "
            "protocol 1.0 answer only 'scan --protocol 1'"
        )
    return 0


def _words(numbers: Iterable[int]) -> str:
    return " and ".join(map(str, numbers))


def _rows(registers: "Registers", arguments: argparse.Namespace) -> Iterator[Mapping[str, object]]:
    """Do one action with a servo; the results."""
    id = arguments.id
    match arguments.action:
        case "ping":
            yield asdict(registers.ping(id))
        case "reboot":
            registers.reboot(id)
        case "backup" | "restore":
            registers.backup(id, restore=arguments.action == "restore")
        case "read" if arguments.register:
            yield {arguments.register: registers.read(id, arguments.register)}
        case "read":
            yield registers.read_all(id)
        case "write":
            written = registers.write(id, arguments.register, arguments.value)
            registers.keep_torque()
            yield {"written": written}


def _milliseconds(text: str) -> float:
    value = float(text)
    if not 1.0 <= value <= 10000.0:
        raise argparse.ArgumentTypeError(f"{text} is not within 1 to 10000")
    return value / 1000.0


def _ids(text: str) -> range:
    first, _, last = text.partition("-")
    if (
        not (first.isdigit() and (last or first).isdigit())
        or not 0 <= int(first) <= int(last or first) <= 252
    ):
        raise argparse.ArgumentTypeError(f"{text!r} is not A-B within 0 to 252")
    return range(int(first), int(last or first) + 1)
