# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge decode` and `encode`: the bytes of a peer as JSON lines, and JSON lines as bytes."""

import argparse
import io
import json
import sys

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.files import read_chunks, read_text
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols import registry
from embodiment_bridge.wire.json_text import decode_stream, read_commands

DECODE_EXAMPLES = """\
examples:
  embodiment_bridge decode rcsssmj percepts.bin | head -n 1
  embodiment_bridge decode rcsssmj --dialect seed < old_recording.bin
Each line is {"event": NAME, "offset": first byte of the frame, ...}. Exit code 1 if any event is Malformed.
"""
ENCODE_EXAMPLES = """\
examples:
  echo '{"command": "Init", "model": "T1", "team": "blue", "number": 2}' | embodiment_bridge encode rcsssmj | xxd
A line that cannot be encoded writes no bytes; its number is printed on standard error, with exit code 2.
"""


def add(commands: Commands) -> None:
    """Declare both commands."""
    decoding = "Decode a byte stream exactly as received from the peer, framing included."
    decode = declare(commands, "decode", decoding, DECODE_EXAMPLES, run_decode)
    encoding = "Encode commands, one JSON object per line, into the bytes that the peer receives."
    encode = declare(commands, "encode", encoding, ENCODE_EXAMPLES, run_encode)
    for command in (decode, encode):
        command.add_argument("protocol", metavar="PROTOCOL", help=registry.named())
        command.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: standard input")
    decode.add_argument("--dialect", help="dialect of the protocol (default: found from the stream)")


def run_decode(arguments: argparse.Namespace) -> int:
    """Decode the whole stream. Exit code 0, or 1 if anything was malformed; bad input does not stop it."""
    options = {} if arguments.dialect is None else {"dialect": arguments.dialect}
    codec = registry.codec(arguments.protocol, **options)
    malformed = False
    for event in decode_stream(codec, read_chunks(arguments.file)):
        malformed = malformed or event["event"] == "Malformed"
        sys.stdout.write(json.dumps(event, ensure_ascii=False, allow_nan=False) + "\n")
    return int(malformed)


def run_encode(arguments: argparse.Namespace) -> int:
    """Encode the lines. Exit code 0; a line that cannot be encoded raises CommandError with its number."""
    spec = registry.spec(arguments.protocol)
    if not spec.commands:
        raise ConfigError(f"protocol {spec.name!r} has no commands")
    codec = registry.codec(spec.name)
    lines = io.StringIO(read_text(arguments.file))
    for _, command in read_commands(lines, resolve(spec.commands)):
        sys.stdout.buffer.write(codec.encode(command))
    sys.stdout.buffer.flush()
    return 0
