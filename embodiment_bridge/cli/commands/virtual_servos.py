# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge virtual-servos URDF`: simulate the servos of a robot description on a virtual bus."""

import argparse
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.options import Within
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.listening import place
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoSetup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import Pacing, Transcript, WallClock
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.dynamixel.virtual.requests import ControlSocket, Requests
from embodiment_bridge.nodes.base.signals import stop_on_signals
from embodiment_bridge.urdf import read_urdf

if TYPE_CHECKING:
    from embodiment_bridge.physics.servos.servo_world import ServoWorld

POLL = 0.1  # s between two checks for Ctrl-C
PHYSICS_POLL = 0.005  # s of the world that are simulated at once while no host asks
DEFAULT_MODEL = "xm430_w350"  # for servos without a model in the description
EXAMPLES = """\
examples:
  embodiment_bridge virtual-servos urdf/desk_humanoid.urdf --link /tmp/ttyDXL0
  embodiment_bridge virtual-servos my.urdf --listen 127.0.0.1:0 --paced --usb-latency 1
A driver opens the link as it would open /dev/ttyUSB0, or socket://HOST:PORT. If the description has several buses,
the link and the port (unless it is 0) are those of the first; the links of the others end in _NAME, and they have the
next ports. Each printed line names a bus, its servos and its addresses. Ctrl-C ends it with exit code 0.
docs/virtual_servos.md describes the control socket.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "virtual-servos",
        "Answer on the wire as the servos of a robot description (its <ros2_control>) would.",
        EXAMPLES,
        run,
    )
    command.add_argument("urdf", metavar="URDF", help="robot description with <ros2_control>")
    command.add_argument("--link", metavar="PATH", help="symbolic link to make to the pseudo terminal")
    command.add_argument(
        "--listen", metavar="HOST:PORT", type=_address, help="also serve TCP; port 0 takes a free one"
    )
    command.add_argument("--control", metavar="PATH", help="Unix socket for faults, registers and counters")
    command.add_argument(
        "--ros-namespace",
        metavar="NAME",
        help="also run a node in this namespace, with the service inject_fault",
    )
    command.add_argument("--transcript", metavar="FILE", help="write every packet, one JSON object per line")
    command.add_argument(
        "--paced", action="store_true", help="answer as slowly as the baud rate and the return delay require"
    )
    command.add_argument(
        "--usb-latency",
        metavar="MS",
        type=Within(0.0, 255.0),
        default=0.0,
        help="latency timer of the adapter (FTDI: 16)",
    )
    command.add_argument(
        "--scale",
        metavar="FACTOR",
        type=Within(0.01, 100.0),
        default=1.0,
        help="servo time as a multiple of real time",
    )
    command.add_argument(
        "--voltage", metavar="V", type=Within(1.0, 60.0), help="supply voltage (default: that of the models)"
    )
    command.add_argument(
        "--physics",
        action="store_true",
        help="let the servos move the robot in a simulated world, with its weight",
    )
    command.add_argument(
        "--base",
        choices=("auto", "floating", "fixed"),
        help="with --physics: whether the robot can fall (default: as its description says)",
    )
    command.add_argument(
        "--world",
        help="with --physics: MJCF file, or room, desk, soccer, none (default: room)",
    )
    command.add_argument("--seed", type=int, default=0, help="seed of random faults (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Serve. Exit code 0 after Ctrl-C or SIGTERM, 2 if it cannot start.

    Raises:
        ConfigError: the description or an option cannot be used.
    """
    for option, value in (("--base", arguments.base), ("--world", arguments.world)):
        if value is not None and not arguments.physics:
            raise ConfigError(f"{option} is for --physics: without it the servos are in no world")
    setup = read_servo_setup(read_urdf(arguments.urdf))
    chosen = [bus for bus in setup.buses if bus.servos]
    with ExitStack() as stack:
        stopped = stack.enter_context(stop_on_signals())
        transcript = stack.enter_context(Transcript(arguments.transcript)) if arguments.transcript else None
        world = _world(setup, arguments) if arguments.physics else None
        buses = {config.name: _bus(config, arguments, world) for config in chosen}
        for index, config in enumerate(chosen):
            bus = buses[config.name]
            if transcript:
                bus.on_packet = transcript.of(config.name)
            port = stack.enter_context(
                VirtualPort(
                    bus, link=_link(arguments.link, config, index), listen=_listen(arguments.listen, index)
                )
            )
            sys.stdout.write(f"{config.name}: {len(config.servos)} servos at {_places(port)}\n")
        requests = Requests(buses)
        if arguments.control:
            stack.enter_context(ControlSocket(arguments.control, requests))
            sys.stdout.write(f"control socket: {arguments.control}\n")
        sys.stdout.flush()

        def simulate() -> None:
            for bus in buses.values() if world is not None else ():
                bus.update()  # a robot falls also while no host asks

        period = POLL if world is None else PHYSICS_POLL
        if arguments.ros_namespace:
            _serve_faults(requests, arguments.ros_namespace, stopped, simulate, period)
        idle = threading.Event()
        while not stopped():
            idle.wait(period)
            simulate()
    return 0


def _world(setup: ServoSetup, arguments: argparse.Namespace) -> "ServoWorld":
    from embodiment_bridge.physics.servos.servo_world import ServoWorld

    path = Path(arguments.urdf)
    base, world = arguments.base or "auto", arguments.world or "auto"
    return ServoWorld(path, setup, DEFAULT_MODEL, base=base, world=world)


def _serve_faults(
    requests: Requests,
    namespace: str,
    stopped: Callable[[], bool],
    simulate: Callable[[], None],
    period: float,
) -> None:
    """Serve the node until ``stopped()``, and ``simulate()`` each period (s)."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from rclpy.clock import Clock, ClockType
    from rclpy.exceptions import InvalidNamespaceException

    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.body.fault_service import FaultService

    with Runtime() as runtime:
        try:
            node = FaultService(requests, context=runtime.context, namespace=namespace)
        except InvalidNamespaceException as error:
            raise ConfigError(f"--ros-namespace {namespace!r}: {error}") from error
        runtime.add(node)
        node.create_timer(period, simulate, clock=Clock(clock_type=ClockType.STEADY_TIME))
        runtime.spin(stopped)


def _bus(config: BusConfig, arguments: argparse.Namespace, world: "ServoWorld | None") -> VirtualBus:
    pacing = Pacing(
        baud=config.baud_rate if arguments.paced else 0,
        return_delay=arguments.paced,
        usb_latency=arguments.usb_latency * 1e-3,
    )
    bus = VirtualBus(
        [(servo.id, servo.model or DEFAULT_MODEL) for servo in config.servos],
        clock=WallClock(arguments.scale),
        pacing=pacing,
        seed=arguments.seed,
        voltage=arguments.voltage,
        baud=config.baud_rate,
        drives=None if world is None else world.drives(config.servos),
    )
    bus.set_return_delay(config.return_delay_us * 1e-6)
    return bus


def _places(port: VirtualPort) -> str:
    terminal = f"{port.link} -> {port.name}" if port.link else port.name
    return f"{terminal}, socket://{place(port.host, port.port)}" if port.port else terminal


def _link(link: str | None, config: BusConfig, index: int) -> str | None:
    return link if link is None or index == 0 else f"{link}_{config.name}"


def _listen(address: tuple[str, int] | None, index: int) -> tuple[str, int] | None:
    if address is None:
        return None
    host, port = address
    return host, port + index if port else 0


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port[:6]) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)
