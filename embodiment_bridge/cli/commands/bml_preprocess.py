# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml preprocess`: turns text to speak into sound; with `--serve` as an HTTP service."""

import argparse
import math
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from embodiment_bridge import bml
from embodiment_bridge.cli.files import read_text
from embodiment_bridge.cli.options import add_subtree_option, given_subtrees
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import of_outside_program

if TYPE_CHECKING:
    from embodiment_bridge.media.speech.store import SpeechStore

SERVICE_PORT = 8760
EXAMPLES = """\
examples:
  embodiment_bridge bml preprocess greet.json > spoken.json
  embodiment_bridge bml preprocess --url https://media.example/speech --out /srv/speech greet.json
  embodiment_bridge bml preprocess --serve --port 8760
Without --url the links are file URLs; a robot of the same user on this machine plays those of the default folder.
With --serve: POST documents to /preprocess, without FILE; their sounds are under /media/.
Exit code 1 if the document has errors or a text cannot be spoken.
"""


def add(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = actions.add_parser(
        "preprocess",
        help="turn text to speak into sound to play",
        description="Turn every speak of a document into a player with the sound of its text.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="FILE", nargs="?", help="the document; - reads standard input")
    command.add_argument("--strict", action="store_true", help="refuse what tolerant reading would accept")
    command.add_argument(
        "--out", metavar="DIR", help="folder for the sounds (default: beside the user's cache)"
    )
    command.add_argument(
        "--url", default="", help="URL under which the robot finds that folder (default: file://)"
    )
    command.add_argument(
        "--fallback", default="", metavar="URL", help="sound that is played for a text that cannot be spoken"
    )
    command.add_argument(
        "--speech",
        choices=("espeak", "espeak_system", "piper", "cloud"),
        default="espeak",
        help="speech synthesiser (default: %(default)s)",
    )
    command.add_argument("--piper-model", default="", metavar="FILE", help="piper's voice file")
    command.add_argument(
        "--speech-url", default="", metavar="TEMPLATE", help="URL of a cloud service, with {text} in it"
    )
    command.add_argument(
        "--speech-key",
        default="",
        metavar="VARIABLE",
        help="environment variable with the key of the cloud service",
    )
    add_subtree_option(command)
    command.add_argument("--serve", action="store_true", help="run as an HTTP service")
    command.add_argument(
        "--host", help="with --serve: address that the service listens on (default: 127.0.0.1)"
    )
    command.add_argument(
        "--port", type=int, help=f"with --serve: its port; 0: a free one (default: {SERVICE_PORT})"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command. Exit code 1 if the document has errors or a text cannot be spoken.

    Raises:
        ConfigError: no document is given, or one is given with ``--serve``, or an option of the service is given
            without it, or the voice cannot be opened.
    """
    if arguments.serve and arguments.file is not None:
        raise ConfigError(
            f"--serve takes its documents at /preprocess: leave out FILE ({arguments.file}), or --serve"
        )
    if not arguments.serve and arguments.file is None:
        raise ConfigError("which document? (a file, - for standard input, or --serve)")
    for option, value in (("--host", arguments.host), ("--port", arguments.port)):
        if value is not None and not arguments.serve:
            raise ConfigError(f"{option} is for --serve: without it nothing listens")
    from embodiment_bridge.media.files.cache import MediaCache, preprocessed_folder
    from embodiment_bridge.media.speech.choice import SpeechChoice, open_speaker
    from embodiment_bridge.media.speech.store import SpeechStore

    folder = Path(arguments.out) if arguments.out else preprocessed_folder()
    choice = SpeechChoice(
        arguments.speech,
        piper_model=arguments.piper_model,
        url=arguments.speech_url,
        key_variable=arguments.speech_key,
    )
    # Documents link to the sounds, and which documents are kept is not known here: nothing is deleted.
    cache = MediaCache(folder, math.inf)
    store = SpeechStore(open_speaker(choice, of_outside_program(os.environ)), cache)
    try:
        return _serve(arguments, store, folder) if arguments.serve else _once(arguments, store)
    finally:
        store.close()


def _once(arguments: argparse.Namespace, store: "SpeechStore") -> int:
    from embodiment_bridge.media.preprocess import preprocess
    from embodiment_bridge.media.speech_service import host_of_links

    if arguments.url:
        host_of_links(arguments.url)
    subtrees = given_subtrees(arguments)
    result = bml.read(read_text(arguments.file), strict=arguments.strict, subtrees=subtrees)
    problems = list(result.problems)
    if result.document is not None:
        base = arguments.url.rstrip("/")
        done = preprocess(
            result.document,
            store,
            lambda path: f"{base}/{path.name}" if base else path.resolve().as_uri(),
            fallback=arguments.fallback,
        )
        problems += done.problems
    write_problems(problems, sys.stderr)
    if result.document is None or any(problem.fatal for problem in problems):
        return 1
    sys.stdout.write(bml.to_json(done.document, indent=2) + "\n")
    return 0


def write_problems(problems: Iterable[bml.Problem], stream: TextIO) -> None:
    """Write a line for each problem; that of a warning begins with ``warning``."""
    for problem in problems:
        stream.write(f"{'' if problem.fatal else 'warning '}{problem}\n")


def _serve(arguments: argparse.Namespace, store: "SpeechStore", folder: Path) -> int:
    from embodiment_bridge.media.speech_service import SpeechService
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    with (
        stop_on_signals() as stopped,
        SpeechService(
            store,
            folder,
            "127.0.0.1" if arguments.host is None else arguments.host,
            SERVICE_PORT if arguments.port is None else arguments.port,
            public_url=arguments.url,
            fallback=arguments.fallback,
            strict=arguments.strict,
            subtrees=given_subtrees(arguments),
            log=say,
        ) as service,
    ):
        say(f"preprocessing at {service.public_url}/preprocess; Ctrl-C ends")
        while not stopped():
            time.sleep(0.2)
    return 0
