# SPDX-License-Identifier: Apache-2.0
"""Write docs/licences.md: the licence of each package that `make venv` installs, as its own metadata say.

.venv/bin/python tools/licences.py          writes it, from the installed packages of Jazzy
.venv/bin/python tools/licences.py --check  exit code 1 when the page has other packages than requirements/locked/
"""

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from lock import Locked, locked
from packaging.markers import Marker

PAGE = Path(__file__).resolve().parents[1] / "docs/licences.md"
NOT_IN_METADATA = {  # as the files in them say
    "espeakng-loader": "GPL-3.0-or-later (espeak-ng and its data, which it has in it)",
    "ros-fastcdr": "Apache-2.0",
    "ros-fastrtps": "Apache-2.0",
    "ros-jazzy-rclpy": "has no files: it names other packages",
    "rustypot": "Apache-2.0",
}
TEXT = """# Licences

This package is under the Apache-2.0. These are the packages that `make venv` installs for ROS 2 Jazzy, as
`requirements/locked/` has them (written by `tools/licences.py` from their metadata). *For* names the file of
`requirements/` that needs the package: `build` and `test` are not needed to run, and `speech`, `mcp` and `simulators`
are extras. Only `espeakng-loader` has code under the GPL-3.0 ([sound](media.md#speech)): that of `docutils` is an Emacs
mode, which its wheel lacks.

| package | version | licence | for |
|---|---|---|---|
"""
ROW = re.compile(r"^\| (\S+) \| (\d\S*) \| .+ \|$", re.MULTILINE)


def packages() -> dict[str, list[Locked]]:
    """What is locked for Jazzy on this platform, by name; common.txt may have a package too."""
    found: dict[str, list[Locked]] = {}
    for one in (*locked("common"), *locked("jazzy")):
        if not one.marker or Marker(one.marker).evaluate():
            found.setdefault(one.name, []).append(one)
    return dict(sorted(found.items()))


def needed_for(name: str, found: dict[str, list[Locked]], above: tuple[str, ...] = ()) -> set[str]:
    """The files of requirements/, without `.txt`, that a package is installed for."""
    reasons: set[str] = set()
    for reason in (r for one in found.get(name, ()) for r in one.needed_by):
        if reason.startswith("-r "):
            reasons.add(Path(reason).stem)
        elif reason not in above:
            reasons |= needed_for(reason.partition("[")[0], found, (*above, name))
    return reasons


def licence(package: Distribution) -> str:
    """What its metadata say, or the package.xml that it has in it."""
    about = package.metadata
    manifests = [f for f in package.files or () if f.match("share/*/package.xml")]
    told = [about.get("License-Expression") or ""]
    told += [", ".join(x.text or "" for x in ET.parse(str(f.locate())).iter("license")) for f in manifests]
    told += [(about.get("License") or "").partition("\n")[0], ", ".join(_classifiers(package))]
    return next(filter(None, told), "") or NOT_IN_METADATA[about["Name"].lower()]


def _classifiers(package: Distribution) -> Iterator[str]:
    for line in package.metadata.get_all("Classifier") or ():
        if line.startswith("License :: "):
            yield line.rpartition(" :: ")[2]


def main(check: bool) -> int:
    """Write or check the page; returns the exit code."""
    found = packages()
    if check:
        there = set(ROW.findall(PAGE.read_text(encoding="utf-8")))
        differ = there ^ {(name, same[0].version) for name, same in found.items()}
        for name, version in sorted(differ):
            print(f"docs/licences.md and requirements/locked/ differ in {name} {version}: "
                  "run .venv/bin/python tools/licences.py", file=sys.stderr)  # fmt: skip
        return 1 if differ else 0
    rows = [
        f"| {name} | {same[0].version} | {licence(distribution(name))} | {', '.join(sorted(needed_for(name, found)))} |"
        for name, same in found.items()
    ]
    PAGE.write_text(TEXT + "\n".join(rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
