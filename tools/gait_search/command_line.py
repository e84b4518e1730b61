# SPDX-License-Identifier: Apache-2.0
"""The arguments that the programs of this folder have in common."""

import argparse


def options(description: str | None, *, body: bool = True) -> argparse.ArgumentParser:
    """A parser whose help is the text of the program; ``body``: its first argument is a body file."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if body:
        parser.add_argument("body_file", metavar="BODY.yaml")
    return parser


def add_search(parser: argparse.ArgumentParser, without: str = "") -> None:
    """How long to search, and the seed; ``without``: what a program does in 0 seconds."""
    how_long = f"how long; 0: {without}" if without else "how long"
    parser.add_argument("seconds", type=float, metavar="SECONDS", help=how_long)
    parser.add_argument("seed", type=int, nargs="?", default=1, metavar="SEED", help="default: 1")
