# SPDX-License-Identifier: Apache-2.0
"""Wheel of embodiment_bridge, made by the same CMakeLists.txt that colcon uses.

CMake installs into a staging prefix; the Python package becomes the wheel's platlib, the rest (lib/*.so, share/,
include/) its data files, so that a virtual environment with the ROS 2 wheels is a ROS prefix that has this package.
"""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

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


def ros_prefixes():
    """Where ROS 2 lives: a sourced setup file, else an environment with the ROS wheels.

    pip builds with the environment's own prefix; isolated builders use a bare one, and then ROS_PREFIX or the
    activated environment is asked.
    """
    sourced = [p for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    if sourced:
        return sourced
    for prefix in (os.environ.get("ROS_PREFIX"), sys.prefix, os.environ.get("VIRTUAL_ENV")):
        if prefix and (Path(prefix) / "share" / "ament_cmake").is_dir():
            return [prefix]
    raise SystemExit(
        f"{NAME}: no ROS 2 found; source its setup file, or install the wheels of requirements/ into this environment"
    )


def ros_environment(prefixes):
    """Environment of the CMake calls: the rosidl generators are child Pythons that need ROS's own packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sites = [str(d) for p in prefixes for d in Path(p).glob(f"lib/{version}/*-packages")]
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sites), AMENT_PREFIX_PATH=os.pathsep.join(prefixes))
    libraries = [str(Path(p) / "lib") for p in prefixes]
    for name, parts in (("CMAKE_PREFIX_PATH", prefixes), ("LD_LIBRARY_PATH", libraries)):
        known = [p for p in env.get(name, "").split(os.pathsep) if p]
        env[name] = os.pathsep.join(dict.fromkeys([*parts, *known]))
    return env


class CMakeBuild(build_ext):
    """Build and stage with CMake, then hand the staged tree to the wheel."""

    def run(self):
        prefixes = ros_prefixes()
        stage = Path(self.build_temp).resolve() / "stage"
        shutil.rmtree(stage, ignore_errors=True)
        self.build(stage, prefixes)
        package = next(stage.glob(f"lib/python*/*-packages/{NAME}"))
        target = Path(self.build_lib) / NAME
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(package, target, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
        shutil.rmtree(package.parents[1])
        shutil.rmtree(stage / "bin")  # pip makes the console script itself
        files = {}
        for path in sorted(p for p in stage.rglob("*") if p.is_file()):
            files.setdefault(str(path.parent.relative_to(stage)), []).append(str(path))
        self.distribution.data_files = list(files.items())

    def build(self, stage, prefixes):
        tree = Path(self.build_temp).resolve() / "cmake"
        env = ros_environment(prefixes)
        python = Path(prefixes[-1]) / "bin" / "python3"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        configure = [
            "cmake", "-S", str(HERE), "-B", str(tree), *generator,
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

    def get_outputs(self):
        return []

    def get_source_files(self):
        return []


class NoDevelop(develop):
    """An editable install would report success and leave nothing importable: refuse it."""

    def run(self):
        raise SystemExit(
            f"{NAME}: no editable install (the interfaces are generated); use `make venv` again instead"
        )


def requirements():
    lines = (HERE / "requirements" / "run.txt").read_text().splitlines()
    names = [line.split("==")[0] for line in lines if line and not line.startswith("#")]
    return [*names, "numpy", "pyyaml"]


setup(
    name=NAME.replace("_", "-"),
    version=MANIFEST.findtext("version"),
    description=MANIFEST.findtext("description"),
    license=MANIFEST.findtext("license"),
    packages=[],
    py_modules=[],
    python_requires=">=3.10",
    install_requires=requirements(),
    entry_points={"console_scripts": [f"{NAME} = {NAME}.cli:main"]},
    distclass=BinaryDistribution,
    cmdclass={"build_ext": CMakeBuild, "develop": NoDevelop, "editable_wheel": NoDevelop},
    zip_safe=False,
)
