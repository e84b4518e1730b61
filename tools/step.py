#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one step of `make venv` and shows its progress: ``step.py NAME FILE COMMAND...``, with the output into FILE.

    building embodiment_bridge (the last time it took 2:05)
      [37/412] 0:21
    building embodiment_bridge: done in 2:11

On a terminal the middle line is renewed each second, elsewhere it is printed every ten seconds. FILE.time keeps the
duration of the last successful run. The exit code is that of the command; if it fails, the end of its output is shown.
"""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

LAST_LINES = 60  # of the output of a command that failed
WIDTH = 70  # of the renewed line
LOOKED_AT = 8192  # bytes at the end of the output that are searched for the progress
PROGRESS = re.compile(
    r"^ *(\[\d+/\d+\]|(?:Collecting|Downloading|Building|Installing) [^\s;=]+)", re.MULTILINE
)


def clock(seconds: float) -> str:
    """``2:05``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def progress(file: Path) -> str:
    """The last progress in the output: ``[37/412]`` of ninja, ``Collecting numpy`` of pip."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - LOOKED_AT))
        found = PROGRESS.findall(stream.read().decode(errors="replace"))
    return found[-1] if found else "at work"


def follow(command: subprocess.Popen[bytes], file: Path, begin: float) -> int:
    """Show the progress until the command ends; returns its exit code."""
    terminal = sys.stdout.isatty()
    while True:
        try:
            code = command.wait(1.0 if terminal else 10.0)
            break
        except subprocess.TimeoutExpired:
            line = f"  {progress(file)} {clock(time.monotonic() - begin)}"
            print(
                f"\r{line:<{WIDTH}.{WIDTH}}" if terminal else line, end="" if terminal else "\n", flush=True
            )
    if terminal:
        print("\r" + " " * WIDTH, end="\r", flush=True)
    return code


def main(name: str, log: str, *words: str) -> int:
    """Run the command; returns its exit code."""
    file, times = Path(log), Path(log + ".time")
    file.parent.mkdir(parents=True, exist_ok=True)
    last = f" (the last time it took {times.read_text().strip()})" if times.is_file() else ""
    print(f"{name}{last}", flush=True)
    begin = time.monotonic()
    with file.open("wb") as output:
        command = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    try:
        code = follow(command, file, begin)
    except KeyboardInterrupt:
        command.terminate()
        command.wait()
        raise SystemExit(f"{name}: interrupted") from None
    took = clock(time.monotonic() - begin)
    if code:
        lines = file.read_text(errors="replace").splitlines()[-LAST_LINES:]
        print(
            *lines, f"{name}: failed after {took}; all of its output is in {file}", sep="\n", file=sys.stderr
        )
        return code if code > 0 else 128 - code
    times.write_text(took + "\n")
    print(f"{name}: done in {took}", flush=True)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(*sys.argv[1:]))
