# SPDX-License-Identifier: Apache-2.0
"""Wheel of embodiment_bridge, made by the same CMakeLists.txt that colcon uses.

CMake installs into a staging prefix; the Python package becomes the wheel's platlib, the rest (lib/*.so, share/,
include/) its data files, so that a virtual environment with the ROS 2 wheels is a ROS prefix that has this package.
Names, authors and extras are in pyproject.toml, version and description in package.xml.
"""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import build_backend
from build_backend import pins, ros_prefixes
from setuptools import Distribution, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.develop import develop

HERE = Path(__file__).resolve().parent
NAME = "embodiment_bridge"
MANIFEST = ET.parse(HERE / "package.xml").getroot()


class BinaryDistribution(Distribution):
    """Has compiled parts, although setuptools sees none."""

    def has_ext_modules(self):
        return True


# Packages of vendor/, and a file that only the package of a ROS 2 installation has, not the copy in vendor/.
VENDORED = {
    "tf2_msgs": "srv/FrameGraph.srv",
    "control_msgs": "action/PointHead.action",
    "py_trees_ros_interfaces": "action/Dock.action",
}
GENERATED = ("msg", "srv", "action")  # folders of modules
LINKED = ("launch", "config", "urdf", f"python/{NAME}")  # below share/embodiment_bridge, by the Makefile


def is_whole(package, prefix):
    """True for a package of VENDORED that is that of a ROS 2 installation."""
    return (Path(prefix) / "share" / package / VENDORED[package]).is_file()


def ros_environment(prefixes):
    """Environment of the CMake calls: the rosidl generators are child Pythons that need ROS's own packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sites = [str(d) for p in prefixes for d in Path(p).glob(f"lib/{version}/*-packages")]
    sites += [p for p in sys.path if p.endswith("-packages")]  # cmake may be there, in a builder's own folder
    env = dict(os.environ, AMENT_PREFIX_PATH=os.pathsep.join(prefixes))
    env["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(sites))
    libraries = [str(Path(p) / "lib") for p in prefixes]
    for name, parts in (("CMAKE_PREFIX_PATH", prefixes), ("LD_LIBRARY_PATH", libraries)):
        known = [p for p in env.get(name, "").split(os.pathsep) if p]
        env[name] = os.pathsep.join(dict.fromkeys([*parts, *known]))
    return env


class CMakeBuild(build_ext):
    """Build and stage with CMake, then hand the staged tree to the wheel."""

    def run(self):
        prefixes = ros_prefixes()
        if not prefixes:
            raise SystemExit(
                f"{NAME}: no ROS 2 found; source its setup file, or install requirements/jazzy.txt"
            )
        stage = Path(self.build_temp).resolve() / "stage"
        shutil.rmtree(stage, ignore_errors=True)
        self.build(HERE, stage, prefixes)
        for package in VENDORED:  # what PyPI lacks
            if not any(is_whole(package, p) for p in prefixes):
                self.build(HERE / "vendor" / package, stage, prefixes)
        site = next(stage.glob(f"lib/python*/*-packages/{NAME}")).parent
        shutil.rmtree(self.build_lib, ignore_errors=True)  # of another wheel
        for package in (d for d in site.iterdir() if (d / "__init__.py").is_file()):
            target = Path(self.build_lib) / package.name
            shutil.copytree(package, target, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
        if build_backend.linked:
            self.leave_to_links(stage / "share" / NAME)
        shutil.rmtree(site.parent)
        shutil.rmtree(stage / "bin")  # setuptools installs the script
        files = {}
        for path in sorted(p for p in stage.rglob("*") if p.is_file()):
            files.setdefault(str(path.parent.relative_to(stage)), []).append(str(path))
        self.distribution.data_files = list(files.items())

    def leave_to_links(self, share):
        """Keep what is built; for the rest, a file where `make venv` puts each link, which pip then removes as its own.

        The modules are found after site-packages, where the generated ones, without an __init__.py, are a part only.
        """
        built = Path(self.build_lib) / NAME
        for path in built.iterdir():
            if path.name not in GENERATED and path.suffix != ".so":
                (shutil.rmtree if path.is_dir() else os.unlink)(path)
        (built.parent / f"{NAME}.pth").write_text(f"../../../share/{NAME}/python\n")
        for name in LINKED:
            shutil.rmtree(share / name, ignore_errors=True)
            (share / name).parent.mkdir(exist_ok=True)
            (share / name).write_text("`make venv` makes a link of this\n")

    def build(self, source, stage, prefixes):
        tree = self.tree(source.name if source != HERE else "cmake", prefixes)
        env = ros_environment(prefixes)
        python = Path(prefixes[-1]) / "bin" / "python3"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        configure = [
            "cmake", "-S", str(source), "-B", str(tree), *generator,
            f"-DCMAKE_INSTALL_PREFIX={stage}", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
            f"-DPython3_EXECUTABLE={python if python.exists() else sys.executable}",
        ]  # fmt: skip
        jobs = str(os.cpu_count() or 1)
        for step in (
            configure,
            ["cmake", "--build", str(tree), "--parallel", jobs],
            ["cmake", "--install", str(tree)],
        ):
            subprocess.check_call(step, env=env)

    def tree(self, name, prefixes):
        """Where CMake builds: the folder of the last time, but an empty one for another ROS or other tools.

        CMake remembers the place of each package and program, and would take them from there.
        """
        tree = Path(self.build_temp).resolve() / name
        manifests = [Path(p) / "share/ament_cmake/package.xml" for p in prefixes]
        installed = [str(m.stat().st_mtime_ns) for m in manifests if m.is_file()]
        made_with = "\n".join([*prefixes, *installed, *(shutil.which(p) or "" for p in ("cmake", "ninja"))])
        note = tree / "made_with.txt"
        if not note.is_file() or note.read_text() != made_with:
            shutil.rmtree(tree, ignore_errors=True)
            tree.mkdir(parents=True)
            note.write_text(made_with)
        return tree

    def get_outputs(self):
        return []

    def get_source_files(self):
        return []


class NoDevelop(develop):
    """An editable install would report success and leave nothing importable: refuse it."""

    def run(self):
        raise SystemExit(
            f"{NAME}: no editable install (the interfaces are generated); `make venv` links an environment instead"
        )


def requirements():
    """What the package imports beside ROS 2, in any version: extras and `make venv` have the tried ones."""
    return [*(pin.split("==")[0] for pin in pins("run.txt")), "numpy", "pyyaml"]


setup(
    version=MANIFEST.findtext("version"),
    description=MANIFEST.findtext("description"),
    packages=[],
    py_modules=[],
    scripts=["scripts/embodiment_bridge"],  # not an entry point: it says how Python is to be started
    install_requires=requirements(),
    distclass=BinaryDistribution,
    cmdclass={"build_ext": CMakeBuild, "develop": NoDevelop, "editable_wheel": NoDevelop},
    zip_safe=False,
)
