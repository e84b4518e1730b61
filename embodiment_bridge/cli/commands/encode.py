# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge encode PROTOCOL [FILE]`: encode commands from JSON lines into wire bytes."""

import argparse
import io
import sys

from embodiment_bridge.cli.files import read_text
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols import registry
from embodiment_bridge.wire.json_text import read_commands

EXAMPLES = """\
examples:
  echo '{"command": "Init", "model": "T1", "team": "blue", "number": 2}' | embodiment_bridge encode rcsssmj | xxd
A line that cannot be encoded writes no bytes; its number is printed on standard error, with exit code 2.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "encode",
        description="Encode commands, one JSON object per line, into the bytes that the peer receives.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("protocol", metavar="PROTOCOL", help=registry.named())
    command.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="the lines (default: standard input)"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Exit code 0; a line that cannot be encoded raises CommandError with its number."""
    spec = registry.spec(arguments.protocol)
    if not spec.commands:
        raise ConfigError(f"protocol {spec.name!r} has no commands")
    codec = registry.codec(spec.name)
    lines = io.StringIO(read_text(arguments.file))
    for _, command in read_commands(lines, resolve(spec.commands)):
        sys.stdout.buffer.write(codec.encode(command))
    sys.stdout.buffer.flush()
    return 0
