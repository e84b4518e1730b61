# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge peer NAME`: stand-ins for the programs at the other end of a protocol."""

import argparse
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from embodiment_bridge.core.listening import place
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.base.signals import stop_on_signals
from embodiment_bridge.standins.oac.options import OAC_OPTIONS

POLL = 0.1  # s; how long Ctrl-C may go unseen


@dataclass(frozen=True, slots=True)
class Peer:
    """One stand-in. ``server`` is ``module:attribute``: called with host, port and the options, it serves until closed.

    port: default TCP port. options: keyword arguments of the server, declared as ``--name``. operand: the one of them
    that may also be given without its name. example: words of a command line.
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
        (Parameter("rate", 50.0, "How often it tells where its joints are, Hz.", 1.0, 1000.0),),
    ),
    "simspark": Peer(
        "RoboCup 3D soccer server rcssserver3d, as a small kinematic world (docs/simspark.md)",
        "embodiment_bridge.standins.simspark.server:SimsparkServer",
        3100,
        (
            Parameter("sync", False, "Wait for the (syn) of every agent."),
            Parameter("realtime", True, "false with sync: as fast as the agents answer."),
            Parameter("noise", True, "Whether beams and what is seen are a little off."),
            Parameter("true_pose", False, "Tell players where they are (mypos, myorien)."),
            Parameter(
                "monitor_port", 3200, "TCP port of monitors and trainers; 0 takes a free one.", 0, 65535
            ),
            Parameter("recording", "", "Recorded agent stream that everybody hears instead of a world."),
            Parameter("monitor_recording", "", "Recorded monitor stream that every monitor gets."),
            Parameter("seed", 0, "Of all that is random.", 0, 2**31 - 1),
            Parameter("slow", 0.0, "Fault: more time for each cycle, s.", 0.0, 10.0),
            Parameter(
                "cut", 0.0, "Fault: hang up on each client after so long, s; 0 never does.", 0.0, 3600.0
            ),
            Parameter("nan", 0.0, "Fault: share of messages with a nan in them.", 0.0, 1.0),
            Parameter("unknown", 0.0, "Fault: share of messages with lists that nobody knows.", 0.0, 1.0),
            Parameter("lost", 0.0, "Fault: share of messages that never come.", 0.0, 1.0),
        ),
        example="--sync true --monitor-port 0",
    ),
    "maeden": Peer(
        "simulator of the Maeden grid world (docs/maeden.md)",
        "embodiment_bridge.standins.maeden.server:MaedenServer",
        7237,
        (
            Parameter("world", "", "World file; empty: a small world of its own."),
            Parameter(
                "build",
                "json2018",
                "Build whose rules hold: text2013, text201701, text2017, json_j3 or json2018; or a dialect: T, J3, J4.",
            ),
            Parameter("period", 0.05, "Of a cycle, s.", 0.001, 10.0),
            Parameter("eating_ends", True, "Whether a meal ends the run."),
            Parameter("fault", "none", "Fault: doubled, mixed, silent, halves or hang_up."),
            Parameter("fault_every", 10, "Fault: of how many answers one is silent or a hang-up.", 1, 1000),
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
        "service that directs a robot by BML: documents, sounds, next links, faults (docs/requests.md)",
        "embodiment_bridge.standins.bml.server:BmlPeer",
        7830,
        (
            Parameter("songs", 0, "Documents in the chain of songs; 0: it never ends.", 0, 10**9),
            Parameter("voice", 1.0, "Length of an announcement, s.", 0.1, 60.0),
            Parameter("music", 4.0, "Length of a song, s.", 0.1, 600.0),
            Parameter("directory", "", "Folder whose JSON files are served as /documents/NAME.json."),
            Parameter(
                "fault", "", "Every reply is this fault: slow, drip, bomb, loopback, type, endless, ..."
            ),
            Parameter("sign_key", "", "File of the key by which documents are signed; empty: they are not."),
            Parameter("tls", "", "PEM file with a certificate and its key: https instead of http."),
        ),
        example="--songs 2",
    ),
}

EXAMPLES = """\
examples:
  embodiment_bridge peer dummy
  embodiment_bridge peer dummy --port 0        takes a free port and says which
  embodiment_bridge peer maeden my_world.txt
It listens on this machine only unless --host says otherwise. Ctrl-C ends it with exit code 0.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands."""
    group = commands.add_parser(
        "peer",
        help="run a stand-in for an outside program",
        description="Run a stand-in for the simulator, robot or service at the other end of a protocol.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = group.add_subparsers(metavar="NAME", required=True)
    for name, peer in PEERS.items():
        _add_peer(names, name, peer)


def _add_peer(names: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, peer: Peer) -> None:
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
            default=argparse.SUPPRESS,  # else it would take back what the option has set
            metavar=peer.operand.upper(),
            help=f"the same as --{peer.operand}",
        )
    command.set_defaults(run=run, name=name)


def _reader(option: Parameter) -> Callable[[str], Any]:
    """What makes a value of an option of its text, within the option's range."""

    def read(text: str) -> Any:
        value: Any = _flag(text) if isinstance(option.default, bool) else type(option.default)(text)
        if (
            option.lower is not None
            and option.upper is not None
            and not option.lower <= float(value) <= option.upper
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
    """Exit code 0 once ended by Ctrl-C or SIGTERM, 2 when it cannot listen."""
    peer = PEERS[arguments.name]
    options = {option.name: getattr(arguments, option.name) for option in peer.options}
    with (
        stop_on_signals() as stopped,
        resolve(peer.server)(arguments.host, arguments.port, **options) as server,
    ):
        sys.stdout.write(f"{arguments.name} listens on {place(server.host, server.port)}\n")
        sys.stdout.flush()
        idle = threading.Event()
        while not stopped():
            idle.wait(POLL)
    return 0
