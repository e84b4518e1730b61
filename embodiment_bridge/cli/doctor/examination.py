# SPDX-License-Identifier: Apache-2.0
"""Runs all checks on this machine."""

import importlib
import locale
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import embodiment_bridge
from embodiment_bridge.cli.doctor import machine, middleware, running
from embodiment_bridge.cli.doctor.finding import Finding
from embodiment_bridge.core.input_file import exists, is_dir
from embodiment_bridge.core.listening import find_listener
from embodiment_bridge.launching.environment import find_program, prepare

LIBRARIES = {  # imported libraries, and their Debian packages
    "numpy": "python3-numpy",
    "yaml": "python3-yaml",
    "lxml.etree": "python3-lxml",
    "typing_extensions": "python3-typing-extensions",
    "py_trees": "ros-$ROS_DISTRO-py-trees",
    "serial": "python3-serial",
    "dynamixel_sdk": "ros-$ROS_DISTRO-dynamixel-sdk",
}
Result = TypeVar("Result")
# Links unresolved: an installation may consist of them.
CODE = Path(embodiment_bridge.__file__).absolute().parent


def examine(env: Mapping[str, str]) -> Iterator[Finding]:
    """Yield every check, one finding each. env: as the user has set it, before ``prepare``."""
    prefix = Path(sys.prefix)
    yield machine.check_python(sys.version_info[:3], sys.prefix, sys.base_prefix, env)
    yield middleware.check_prefixes(env, prefix, CODE)
    yield middleware.check_libraries(env, prefix)
    yield middleware.check_middleware(env, _library_folders(env, prefix))
    yield middleware.check_domain(env)
    yield middleware.check_discovery(env)
    yield middleware.check_security(env, _library_folders(env, prefix))
    yield _log_folder(env)
    prepare()
    yield from _installation(env, prefix)
    yield middleware.check_round_trip(*_try(middleware.round_trip))
    found, _ = _try(running.picture)
    if found is not None:  # otherwise the line above has the error
        yield from running.check_running(found, _domain(env), running.domains_in_use() - {_domain(env)})
    yield middleware.check_shared_memory(*_shared_memory(middleware.FOLDER))
    for port in machine.SIMULATORS:
        yield machine.check_port(port, find_listener(port))
    for name, needed_for in machine.OPTIONAL.items():
        yield machine.check_program(name, find_program(name), needed_for)
    yield machine.check_program(machine.VOICE, machine.find_voice(), machine.VOICE_FOR)
    miniaudio = machine.find_distribution(machine.MINIAUDIO)
    yield machine.check_program(machine.MINIAUDIO, miniaudio, machine.MINIAUDIO_FOR)
    yield machine.check_serial(machine.latency_timers(machine.SERIAL.glob("*")))
    yield machine.check_locale(sys.stdout.encoding or locale.getpreferredencoding(False))
    yield machine.check_clock(time.time(), (CODE / "__init__.py").stat().st_mtime)


def _installation(env: Mapping[str, str], prefix: Path) -> Iterator[Finding]:
    executor, error = _try(_executor_name)
    yield machine.check_rclpy(_version("rclpy"), error, executor or "", env)
    build = "run `make venv` or `colcon build`"
    _, error = _try(_load_interfaces)
    yield machine.check_importable("interfaces", error, build)
    _, error = _try(lambda: importlib.import_module("tf2_msgs.msg"))
    yield machine.check_importable(
        "tf2_msgs", error, "run `make venv`, or apt install ros-$ROS_DISTRO-tf2-msgs"
    )
    for name, package in LIBRARIES.items():
        _, error = _try(partial(importlib.import_module, name))
        yield machine.check_importable(
            name.partition(".")[0], error, f"run `make venv`, or apt install {package}"
        )
    prefixes = [Path(p) for p in env.get("AMENT_PREFIX_PATH", "").split(":") if p] or [prefix]
    shares = [p / "share" / middleware.PACKAGE for p in prefixes]
    share = next((s for s in shares if is_dir(s)), shares[0])
    checkout = machine.find_checkout([CODE.resolve().parent, Path.cwd()], middleware.PACKAGE)
    yield machine.check_sources(checkout, share, CODE)


def _executor_name() -> str:
    from embodiment_bridge.nodes.base.runtime import Runtime

    with Runtime() as runtime:
        return type(runtime.executor).__name__


def _load_interfaces() -> None:
    """Also load the compiled part, which is otherwise loaded with the first topic."""
    from rclpy.type_support import check_for_type_support

    from embodiment_bridge.msg import LinkState

    check_for_type_support(LinkState)


def _try(running: Callable[[], Result]) -> tuple[Result | None, str]:
    """Return the result and no error, or None and the error."""
    try:
        return running(), ""
    except Exception as error:  # noqa: BLE001 - any error is a finding
        return None, f"{type(error).__name__}: {error}".splitlines()[0]


def _domain(env: Mapping[str, str]) -> int:
    text = env.get("ROS_DOMAIN_ID", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of an unknown version"


def _library_folders(env: Mapping[str, str], prefix: Path) -> list[Path]:
    return [Path(p) / "lib" for p in (*env.get("AMENT_PREFIX_PATH", "").split(":"), str(prefix)) if p]


def _log_folder(env: Mapping[str, str]) -> Finding:
    home = Path(env.get("ROS_HOME") or "~/.ros")
    folder = Path(env.get("ROS_LOG_DIR") or home / "log").expanduser()
    there = next(f for f in (folder, *folder.parents) if exists(f))
    return machine.check_log_folder(folder, is_dir(there) and os.access(there, os.W_OK | os.X_OK))


def _shared_memory(folder: Path) -> tuple[int, int | None]:
    try:
        return middleware.count_leftovers(folder), shutil.disk_usage(folder).free
    except OSError:
        return 0, None
