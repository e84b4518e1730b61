# SPDX-License-Identifier: Apache-2.0
"""An environment of `make venv` runs the checkout itself, and nothing that is done to it removes a source.

make, pip and setuptools are the real ones; the compiler's work (CMake's) is a few files that a script writes.
"""

import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from sdist import LEFT_OUT, ROOT

DEPENDENCIES = ("pip*", "setuptools*", "_distutils_hack", "pkg_resources", "wheel*")
CMAKE = """#!/bin/sh
# cmake -S SOURCE -B TREE ... -DCMAKE_INSTALL_PREFIX=STAGE ...; cmake --build TREE ...; cmake --install TREE
case "$1" in
-S) for word; do case "$word" in -DCMAKE_INSTALL_PREFIX=*) echo "$2 ${word#*=}" > "$4/asked" ;; esac; done ;;
--install)
    read -r source stage < "$2/asked"
    case "$source" in */vendor/*) exit 0 ;; esac
    site=$stage/lib/python3/site-packages share=$stage/share/embodiment_bridge
    mkdir -p "$site" "$share" "$stage/bin"
    cp -r "$source/embodiment_bridge" "$site/"
    mkdir "$site/embodiment_bridge/msg"
    ls "$source/msg" > "$site/embodiment_bridge/msg/__init__.py"
    sed -i 's/^/# /' "$site/embodiment_bridge/msg/__init__.py"
    cp -r "$source/launch" "$source/config" "$source/urdf" "$source/msg" "$share/" ;;
esac
"""
WHERE = "import embodiment_bridge as e, embodiment_bridge.msg as m; print(e.__file__, m.__file__)"
LINKS = ("launch", "config", "urdf", "python/embodiment_bridge")


class Checkout:
    """A copy of this checkout with an environment in which `make` has only this package left to do."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.environment = folder, folder / ".venv"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        venv.create(self.environment, symlinks=True)
        site = next(self.environment.glob("lib/python3*/site-packages"))
        (self.environment / "needed").mkdir()
        for there in (one for name in DEPENDENCIES for one in Path(sysconfig.get_path("purelib")).glob(name)):
            (self.environment / "needed" / there.name).symlink_to(there)
        (site / "needed.pth").write_text("../../../needed\n")
        (self.environment / "share/ament_cmake").mkdir(parents=True)
        (self.environment / "bin/cmake").write_text(CMAKE)
        (self.environment / "bin/cmake").chmod(0o755)
        (self.environment / ".stamps").mkdir()
        (self.environment / ".stamps/place").write_text(f"{folder} {self.environment}\n")
        (self.environment / ".stamps/wheels-jazzy").touch()

    def run(self, *words: str, code: int = 0) -> str:
        """Run a program of the environment, or make, from another folder; returns its output."""
        kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG")}
        kept["PATH"] = f"{self.environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
        first = str(self.environment / "bin" / words[0]) if words[0] != "make" else "make"
        done = subprocess.run(
            [first, *words[1:]],
            cwd="/", env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        return done.stdout

    def make_venv(self, code: int = 0) -> str:
        return self.run("make", "--no-print-directory", "-C", str(self.folder), "venv", code=code)

    def pip(self, *words: str) -> str:
        return self.run("python", "-m", "pip", *words)

    def sources(self) -> dict[str, bytes]:
        left_out = (self.environment, self.folder / "build", self.folder / "embodiment_bridge.egg-info")
        files = (path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
        return {str(f): f.read_bytes() for f in files if not any(f.is_relative_to(one) for one in left_out)}

    def link(self, name: str) -> Path:
        return self.environment / "share/embodiment_bridge" / name


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    checkout = Checkout(tmp_path_factory.mktemp("linked") / "checkout")
    assert "building embodiment_bridge: done" in checkout.make_venv()
    return checkout


@pytest.fixture
def checkout(made, tmp_path):
    """A copy of what was made, at a place of its own, which `make` takes for the place where it was made."""
    made_there = Checkout.__new__(Checkout)
    made_there.folder = tmp_path / "checkout"
    made_there.environment = made_there.folder / ".venv"
    shutil.copytree(made.folder, made_there.folder, symlinks=True)
    (made_there.environment / ".stamps/place").write_text(f"{made_there.folder} {made_there.environment}\n")
    return made_there


def test_modules_launch_files_and_bodies_are_those_of_the_checkout(checkout) -> None:
    code, messages = checkout.run("python", "-c", WHERE).split()
    assert Path(code).resolve() == checkout.folder / "embodiment_bridge/__init__.py"
    assert "site-packages" in messages
    (checkout.folder / "embodiment_bridge/new_module.py").write_text("print('seen')")
    (checkout.folder / "launch/new.launch.xml").write_text("<launch/>")
    assert checkout.run("python", "-c", "import embodiment_bridge.new_module") == "seen\n"
    assert (checkout.link("launch") / "new.launch.xml").read_text() == "<launch/>"
    assert checkout.make_venv() == ""


def test_another_message_is_built_and_the_links_stay(checkout) -> None:
    old = next((checkout.folder / "msg").iterdir())
    old.rename(old.with_name("New.msg"))
    before = checkout.sources()
    assert "building embodiment_bridge: done" in checkout.make_venv()
    assert checkout.sources() == before
    built = Path(checkout.run("python", "-c", WHERE).split()[1]).read_text().splitlines()
    assert ("# New.msg" in built, f"# {old.name}" in built) == (True, False)
    assert all(checkout.link(name).is_symlink() for name in LINKS)


def test_what_pip_installs_and_removes_is_never_a_source(checkout) -> None:
    before = checkout.sources()
    options = ("--no-index", "--no-build-isolation", "--no-deps", "--force-reinstall")
    checkout.pip("install", *options, str(checkout.folder))  # as a user does it, without links
    assert "site-packages" in checkout.run("python", "-c", WHERE).split()[0]
    assert (checkout.link("launch") / "bringup.launch.xml").is_file()
    assert not any(path.is_symlink() for path in checkout.link("").iterdir())
    assert not checkout.link("python").exists()
    assert not list(checkout.environment.rglob("embodiment_bridge.pth"))
    assert "building embodiment_bridge: done" in checkout.make_venv()
    assert all(checkout.link(name).is_symlink() for name in LINKS)
    checkout.pip("uninstall", "--yes", "embodiment-bridge")
    assert not any(checkout.link(name).exists() for name in LINKS)
    assert checkout.sources() == before


def test_a_checkout_that_was_moved_works_until_make_says_what_to_do(checkout) -> None:
    place = checkout.folder
    checkout.folder = place.rename(place.with_name("moved"))
    checkout.environment = checkout.folder / ".venv"
    code, _ = checkout.run("python", "-c", WHERE).split()
    assert Path(code).resolve() == checkout.folder / "embodiment_bridge/__init__.py"
    told = checkout.make_venv(code=2)
    assert f".venv is not where it was made ({place} {place}/.venv): make clean first" in told


def test_a_checkout_that_is_gone_and_a_build_that_did_not_end_are_named(checkout) -> None:
    for name in LINKS:
        checkout.link(name).unlink()
        checkout.link(name).write_text("not yet a link")
    told = checkout.run("embodiment_bridge", "--help", code=1)
    assert told == (
        "embodiment_bridge: the checkout that this environment was made of is not there, or `make venv` did not end\n"
    )


def test_make_clean_removes_no_source(checkout) -> None:
    before = checkout.sources()
    checkout.run("make", "-C", str(checkout.folder), "clean")
    assert not checkout.environment.exists()
    assert checkout.sources() == before
