#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps requirements/locked/, which `make venv` installs: all that the pins need, each file by its hash.

lock.py UV [OPTION...]   resolve the pins of requirements/*.txt (`make lock`); a locked version stays if it fits
lock.py --check          say where pins and locks differ, without a network
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LOCKED = "requirements/locked"
OLDEST_PYTHON = "3.11"
ROS = ("jazzy", "kilted")
COMMON = ("build", "run", "speech", "simulators", "mcp", "test")
# empy has no wheel; `make venv` builds its sdist with the setuptools of common.txt, which it installs first.
HEADER = "# Made by `make lock`.\n--require-hashes\n--only-binary :all:\n--no-binary empy\n\n"
PIN = re.compile(r"^[\w.-]+==[^\s;#]+", re.MULTILINE)
ENTRY = re.compile(
    r"^([\w.-]+)(?:\[.+?\])?==([^\s;]+)(?: ; (.+?))? \\\n"
    r"((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)    # via (.+)$",
    re.MULTILINE,
)


class Locked(NamedTuple):
    """A package of a lock; ``needed_by`` are names of packages, and ``-r FILE`` for a pin."""

    name: str
    version: str
    marker: str
    hashes: list[str]
    needed_by: list[str]


def locked(name: str, root: Path = ROOT) -> list[Locked]:
    """The packages of requirements/locked/NAME.txt."""
    found = ENTRY.findall((root / LOCKED / f"{name}.txt").read_text(encoding="utf-8"))
    return [Locked(*one[:3], re.findall(r"sha256:\w+", one[3]), one[4].split(", ")) for one in found]


def parts(name: str) -> list[str]:
    """The files of pins that a lock is made of."""
    return [f"requirements/{part}.txt" for part in (COMMON if name == "common" else (name,))]


def differences(root: Path) -> Iterator[str]:
    """A line for each pin that is not locked, and for each that is locked and no longer there."""
    for name in ("common", *ROS):
        packages = locked(name, root)
        for part in parts(name):
            pins = {pin.lower() for pin in PIN.findall((root / part).read_text(encoding="utf-8"))}
            made_of = {f"{p.name}=={p.version}" for p in packages if f"-r {part}" in p.needed_by}
            for pin in sorted(pins - made_of):
                yield f"{pin} of {part} is not in {LOCKED}/{name}.txt: make lock"
            for pin in sorted(made_of - pins):
                yield f"{pin} of {LOCKED}/{name}.txt is not in {part}: make lock"


def lock(uv: str, options: list[str]) -> None:
    """Write all locks with the program uv."""
    for name in ("common", *ROS):
        others = [f"{LOCKED}/common.txt"] if name in ROS else [f"requirements/{ros}.txt" for ros in ROS]
        file = ROOT / LOCKED / f"{name}.txt"
        subprocess.run(
            [uv, "pip", "compile", "--quiet", "--no-config", "--universal", "--generate-hashes", "--no-strip-extras",
             "--no-header", "--annotation-style", "line", "--python-version", OLDEST_PYTHON, *options, *parts(name),
             *(word for other in others for word in ("--constraint", other)), "--output-file", str(file)],
            cwd=ROOT, check=True,
        )  # fmt: skip
        file.write_text(HEADER + file.read_text(encoding="utf-8"), encoding="utf-8")


def main(*words: str) -> int:
    """Run the command; returns the exit code."""
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    if words[0] != "--check":
        lock(words[0], list(words[1:]))
    found = list(differences(ROOT))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
