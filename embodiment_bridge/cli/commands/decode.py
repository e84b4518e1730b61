# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge decode PROTOCOL [FILE]`: decode bytes of a peer into one JSON object per event."""

import argparse
import json
import sys

from embodiment_bridge.cli.files import read_chunks
from embodiment_bridge.protocols import registry
from embodiment_bridge.wire.json_text import decode_stream

EXAMPLES = """\
examples:
  embodiment_bridge decode rcsssmj percepts.bin | head -n 1
  embodiment_bridge decode rcsssmj --dialect seed < old_recording.bin
Each line is {"event": NAME, "offset": first byte of the frame, ...}. Exit code 1 if any event is Malformed.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "decode",
        description="Decode a byte stream exactly as received from the peer, framing included.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("protocol", metavar="PROTOCOL", help=registry.named())
    command.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: standard input")
    command.add_argument("--dialect", help="dialect of the protocol (default: found from the stream)")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Decode the whole stream. Exit code 0, or 1 if anything was malformed; bad input does not stop it."""
    options = {} if arguments.dialect is None else {"dialect": arguments.dialect}
    codec = registry.codec(arguments.protocol, **options)
    malformed = False
    for event in decode_stream(codec, read_chunks(arguments.file)):
        malformed = malformed or event["event"] == "Malformed"
        sys.stdout.write(json.dumps(event, ensure_ascii=False, allow_nan=False) + "\n")
    return int(malformed)
