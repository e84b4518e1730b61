# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of this folder and writes RESULTS.md.

    python benchmarks/run.py [NAME ...] [--output FILE]

NAME is what comes after bench_ in a file's name; without one all are run, but those
of ONLY_BY_NAME, and written to benchmarks/RESULTS.md, unless the machine was busy. With
names the results are only shown. --output says where to write them in any case; pictures lie beside it. Results are
written after each benchmark and replace those of the same name; others in the file stay. Exit
code 1 if a benchmark broke; an aim that is missed is reported and does not change the exit code.
"""

import argparse
import importlib
import os
import platform
import re
import sys
import time
import traceback
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rows import number

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
TITLE = "# Results of the benchmarks\n\nWritten by `make bench`.\n"
HEAD = ("what", "ours", "peer", "ratio", "aim", "met?")
BUSY = (
    0.5  # load of each core before the first benchmark, beyond which the results are those of a busy machine
)
ONLY_BY_NAME = ("motion", "team")  # take long, and are about the robots and not about this machine
NAMES = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def main() -> int:
    options = argparse.ArgumentParser(description="Run benchmarks.")
    options.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(NAMES)}; default: all")
    options.add_argument(
        "--output", type=Path, help="where to write the results (default: RESULTS.md if all are run)"
    )
    arguments = options.parse_args()
    for name in arguments.names:
        if name not in NAMES:
            options.error(f"no benchmark {name!r} (there are: {', '.join(NAMES)})")
    names = arguments.names or [name for name in NAMES if name not in ONLY_BY_NAME]
    busy = os.getloadavg()[0] > BUSY * len(os.sched_getaffinity(0))
    output = arguments.output or (None if arguments.names else RESULTS)
    if busy and arguments.output is None and output is not None:
        print(f"will not be written, because the machine is busy: --output {output} writes them all the same")
        output = None
    broken = 0
    for place, name in enumerate(names, start=1):
        print(f"[{place}/{len(names)}] {name}", flush=True)
        module = importlib.import_module(f"bench_{name}")
        parts = [f"## {name}\n", f"{summary(module)}\n", f"{circumstances()}\n"]
        begun = time.monotonic()
        try:
            rows = module.run()
        except Exception as error:  # noqa: BLE001 - the others shall run
            broken += 1
            traceback.print_exc()
            parts.append(f"Broke: {error}\n")
        else:
            show(rows)
            print(f"  took {time.monotonic() - begun:.0f} s", flush=True)
            parts.append(markdown(rows))
            if output is not None and hasattr(module, "picture"):
                output.with_name(f"{name}.svg").write_text(module.picture(rows), encoding="utf-8")
                parts.append(f"![{name}]({name}.svg)\n")
        if output is not None:
            replace_section(output, name, "\n".join(parts))
    if output is not None:
        print(f"written: {output}")
    return min(broken, 1)


def replace_section(output: Path, name: str, section: str) -> None:
    """Put the section of a benchmark in place of that of the same name in the file, which is made if it is missing."""
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    _, *old = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    sections = {one.split(None, 2)[1]: one.rstrip("\n") + "\n" for one in old} | {name: section}
    parts = [TITLE, *(sections[known] for known in NAMES if known in sections)]
    output.write_text("\n".join(parts), encoding="utf-8")


def show(rows: list[dict[str, Any]]) -> None:
    """A table for a terminal."""
    table = [HEAD, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    for line in table:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def markdown(rows: list[dict[str, Any]]) -> str:
    """The same table for RESULTS.md."""
    lines = [HEAD, ("---",) * len(HEAD), *(cells(row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    ratio, met = row.get("ratio"), row.get("met")
    return (
        row["name"],
        f"{number(row['value'])} {row['unit']}",
        row.get("peer", ""),
        "" if ratio is None else f"{ratio:.2f}",
        row.get("aim", ""),
        "" if met is None else "yes" if met else "no",
    )


def summary(module: Any) -> str:
    """The first paragraph of a benchmark's description."""
    return module.__doc__.strip().split("\n\n")[0]


def circumstances() -> str:
    """When and where."""
    cores = len(os.sched_getaffinity(0))
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {processor()}, {cores} cores, {platform.system()} "
        f"{platform.release()}; load before {os.getloadavg()[0]:.1f} (one minute); "
        f"Python {platform.python_version()}; {ros()}"
    )


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def ros() -> str:
    for package in ("ros-jazzy-rclpy", "ros-rclpy", "rclpy"):
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    return "unknown"


if __name__ == "__main__":
    sys.exit(main())
