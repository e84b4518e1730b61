# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge peer NAME`: run a stand-in for the program at the other end of a protocol."""

import argparse
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.core.listening import place
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.base.signals import stop_on_signals
from embodiment_bridge.standins.oac.scripted_plans import OAC_OPTIONS

OptionValue = bool | int | float | str | list[str]
ENDED = 1  # exit code: it has ended without being asked to by a signal
POLL = 0.1  # s between two checks for Ctrl-C


@dataclass(frozen=True, slots=True)
class Peer:
    """Describes one stand-in. ``server`` is ``module:attribute`` of a class, made with host, port and the options.

    port: default TCP port. options: keyword arguments of the server, declared as ``--name``. operand: the option that
    may also be given without its name. example: arguments of an example command line.
    """

    summary: str
    server: str
    port: int
    options: tuple[Parameter, ...] = ()
    operand: str = ""
    example: str = "--port 0"


PEERS: Mapping[str, Peer] = {
    "dummy": Peer(
        "made-up pan-tilt head of the tutorial (docs/dummy.md)",
        "embodiment_bridge.standins.dummy:DummyHead",
        7810,
        (Parameter("rate", 50.0, "Rate of its joint percepts, Hz.", 1.0, 1000.0),),
    ),
    "simspark": Peer(
        "RoboCup 3D soccer server rcssserver3d, as a small kinematic world (docs/simspark.md)",
        "embodiment_bridge.standins.simspark.server:SimsparkServer",
        3100,
        (
            Parameter("sync", False, "Wait for the (syn) of every agent."),
            Parameter("realtime", True, "false with sync: as fast as the agents answer."),
            Parameter("noise", True, "Whether beams and vision have noise."),
            Parameter("true_pose", False, "Tell players where they are (mypos, myorien)."),
            Parameter(
                "monitor_port", 3200, "TCP port of monitors and trainers; 0 takes a free one.", 0, 65535
            ),
            Parameter("recording", "", "Recorded agent stream that every agent gets instead of the world."),
            Parameter("monitor_recording", "", "Recorded monitor stream that every monitor gets."),
            Parameter("seed", 0, "Seed of all random values.", 0, 2**31 - 1),
            Parameter("slow", 0.0, "Fault: additional time per cycle, s.", 0.0, 10.0),
            Parameter("cut", 0.0, "Fault: disconnect each client after this time, s; 0: never.", 0.0, 3600.0),
            Parameter("nan", 0.0, "Fault: share of messages with a nan in them.", 0.0, 1.0),
            Parameter("unknown", 0.0, "Fault: share of messages with unknown lists.", 0.0, 1.0),
            Parameter("lost", 0.0, "Fault: share of messages that are not sent.", 0.0, 1.0),
            Parameter("burst", 1, "Fault: cycles in a row, as of a server short of time.", 1, 1000),
        ),
        example="--sync true --monitor-port 0",
    ),
    "maeden": Peer(
        "simulator of the Maeden grid world (docs/maeden.md)",
        "embodiment_bridge.standins.maeden.server:MaedenServer",
        7237,
        (
            Parameter("world", "", "World file; empty: a small built-in world."),
            Parameter(
                "build",
                "json2018",
                "Simulator build: text2013, text201701, text2017, json_j3 or json2018; or a dialect: T, J3, J4.",
            ),
            Parameter("period", 0.05, "Period of a cycle, s.", 0.001, 10.0),
            Parameter("eating_ends", True, "Whether a meal ends the run."),
            Parameter("fault", "none", "Fault: doubled, mixed, silent, halves or hang_up."),
            Parameter(
                "fault_every", 10, "Fault: every how many answers one is left out or the link ends.", 1, 1000
            ),
        ),
        operand="world",
        example="my_world.txt --build T",
    ),
    "oac": Peer(
        "OpenCog OAC with its Router (docs/opencog.md)",
        "embodiment_bridge.standins.oac.stand_in:OacPeer",
        16312,
        OAC_OPTIONS,
        example="--script demo --verbose true",
    ),
    "bml": Peer(
        "service that sends a robot BML: documents, sounds, links to the next document, faults (docs/requests.md)",
        "embodiment_bridge.standins.bml.server:BmlPeer",
        7830,
        (
            Parameter("songs", 0, "Documents in the chain of songs; 0: endless.", 0, 10**9),
            Parameter("voice", 1.0, "Length of an announcement, s.", 0.1, 60.0),
            Parameter("music", 4.0, "Length of a song, s.", 0.1, 600.0),
            Parameter("directory", "", "Folder with JSON files to serve as /documents/NAME.json."),
            Parameter(
                "fault", "", "Every reply is this fault: slow, drip, bomb, loopback, type, endless, ..."
            ),
            Parameter("sign_key", "", "File with the key that signs documents; empty: no signatures."),
            Parameter("tls", "", "PEM file with a certificate and its key: https instead of http."),
        ),
        example="--songs 2",
    ),
}

EXAMPLES = """\
examples:
  embodiment_bridge peer dummy
  embodiment_bridge peer dummy --port 0        takes a free port and prints it
  embodiment_bridge peer maeden my_world.txt
It listens on this machine only unless --host says otherwise. Ctrl-C ends it with exit code 0.
"""


def add(commands: Commands) -> None:
    """Declare the commands."""
    group = declare(
        commands,
        "peer",
        "Run a stand-in for the simulator, robot or service at the other end of a protocol.",
        EXAMPLES,
    )
    names = group.add_subparsers(metavar="NAME", required=True)
    for name, peer in PEERS.items():
        _add_peer(names, name, peer)


def _add_peer(names: Commands, name: str, peer: Peer) -> None:
    command = names.add_parser(
        name,
        help=peer.summary,
        description=f"Stand-in: {peer.summary}.",
        epilog=f"example: embodiment_bridge peer {name} {peer.example}",
    )
    command.add_argument("--host", default="127.0.0.1", help="where to listen (default: %(default)s)")
    command.add_argument(
        "--port", type=int, default=peer.port, help="TCP port; 0 takes a free one (default: %(default)s)"
    )
    for option in peer.options:
        command.add_argument(
            f"--{option.name.replace('_', '-')}",
            type=_reader(option),
            default=option.default,
            metavar=option.name.upper(),
            help=f"{option.description} (default: %(default)s)",
        )
    if peer.operand:
        command.add_argument(
            peer.operand,
            nargs="?",
            default=argparse.SUPPRESS,  # a default would replace the value that the option has set
            metavar=peer.operand.upper(),
            help=f"the same as --{peer.operand}",
        )
    command.set_defaults(run=run, name=name)


def _reader(option: Parameter) -> Callable[[str], OptionValue]:
    """Return a function that reads the value of an option from a text and checks its range."""

    def read(text: str) -> OptionValue:
        value: OptionValue = _flag(text) if isinstance(option.default, bool) else type(option.default)(text)
        if (
            option.lower is not None
            and option.upper is not None
            and not option.lower <= float(text) <= option.upper
        ):
            raise argparse.ArgumentTypeError(f"{text} is not within {option.lower:g} to {option.upper:g}")
        return value

    read.__name__ = type(option.default).__name__  # argparse says "invalid float value"
    return read


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return text == "true"


def run(arguments: argparse.Namespace) -> int:
    """Serve. Exit code 0 after Ctrl-C or SIGTERM, 1 if it ends by itself, 2 if it cannot listen."""
    peer = PEERS[arguments.name]
    options = {option.name: getattr(arguments, option.name) for option in peer.options}
    with (
        stop_on_signals() as stopped,
        resolve(peer.server)(arguments.host, arguments.port, **options) as server,
    ):
        sys.stdout.write(f"{arguments.name} listens on {place(server.host, server.port)}\n")
        sys.stdout.flush()
        idle = threading.Event()
        while not stopped() and not server.ended:
            idle.wait(POLL)
        if stopped():
            return 0
    sys.stderr.write(
        f"embodiment_bridge: {arguments.name} has ended: a client told it to, or it has a fault\n"
    )
    return ENDED
