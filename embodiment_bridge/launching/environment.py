# SPDX-License-Identifier: Apache-2.0
"""The environment of ROS and of outside programs, and the share directories of packages."""

import os
import shutil
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import MOST_TEXT, is_dir, is_file, read_bytes

OUR_PROGRAM = "embodiment_bridge"  # with a sourced setup file its modules are found by PYTHONPATH

# A virtual environment with the ROS wheels starts each Python once more with these set; a child from another
# environment must not inherit them.
OURS_ALONE = ("LD_LIBRARY_PATH", "PYTHONPATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE")

# Names of the variable for the settings file of the middleware. Fast DDS 3 (Kilted; its share directory is named
# fastdds) reads the second, and every process that has the first prints a warning.
FASTDDS_PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
FASTDDS_3 = Path("share/fastdds")
INDEX = Path("share/ament_index/resource_index/packages")  # has one file per package of a prefix
CONFIG = Path("share/embodiment_bridge/config")
LOOPBACK, NETWORK = "fastdds_loopback.xml", "fastdds.xml"
LOOPBACK_ADDRESS = "127.0.0.1"
FASTDDS = ("rmw_fastrtps_cpp", "rmw_fastrtps_dynamic_cpp")

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"


def prepare(env: MutableMapping[str, str] = os.environ) -> None:
    """Set what the user has not set: the paths of packages, and a middleware profile for this machine only.

    If the user has not opened the graph to other machines, the profile binds the sockets of Fast DDS to loopback and
    also configures discovery, because the middleware's own LOCALHOST binds some sockets to all networks. Without that
    profile, or with another middleware, LOCALHOST is used.

    Raises:
        ConfigError: the loopback profile cannot be used. Fast DDS would only warn, and open the graph.
    """
    _find_ourselves(env)
    if "ROS_LOCALHOST_ONLY" not in env:
        env.setdefault(RANGE, "LOCALHOST")
    if is_on_loopback(env):  # this program was started by another one of this package
        for name in FASTDDS_PROFILES:
            if name in env:
                _check_loopback(Path(env[name]))
        return
    chosen = [env[name] for name in FASTDDS_PROFILES if name in env]
    if not all(file.endswith((str(CONFIG / LOOPBACK), str(CONFIG / NETWORK))) for file in chosen):
        return
    for name in FASTDDS_PROFILES:  # the user has set another range since; our profile does not fit it
        env.pop(name, None)
    prefixes = [Path(prefix) for prefix in env["AMENT_PREFIX_PATH"].split(os.pathsep) if prefix]
    alone = _is_alone(env)
    ours = CONFIG / (LOOPBACK if alone else NETWORK)
    files = [str(prefix / ours) for prefix in prefixes if is_file(prefix / ours)]
    if files:
        new = any(is_dir(prefix / FASTDDS_3) for prefix in prefixes)
        env[FASTDDS_PROFILES[new]] = files[0]
        if alone:
            _check_loopback(Path(files[0]))
            env[RANGE] = "SYSTEM_DEFAULT"


def _find_ourselves(env: MutableMapping[str, str]) -> None:
    """Add the prefix of this Python to the path of packages where a sourced workspace does not have this package."""
    told = env.get("AMENT_PREFIX_PATH", "")
    package = INDEX / OUR_PROGRAM
    if not told or (
        not any(is_file(Path(prefix) / package) for prefix in told.split(os.pathsep) if prefix)
        and is_file(Path(sys.prefix) / package)
    ):
        env["AMENT_PREFIX_PATH"] = os.pathsep.join([*filter(None, [told]), sys.prefix])


def is_on_loopback(env: Mapping[str, str]) -> bool:
    """Return whether Fast DDS uses our profile for this machine only."""
    files = [env[name] for name in FASTDDS_PROFILES if name in env]
    return env.get(RANGE) == "SYSTEM_DEFAULT" and any(file.endswith(str(CONFIG / LOOPBACK)) for file in files)


def _check_loopback(profile: Path) -> None:
    import xml.etree.ElementTree as ET

    try:
        root = ET.fromstring(read_bytes(profile, MOST_TEXT))
    except (ConfigError, ET.ParseError) as error:
        raise ConfigError(
            f"Fast DDS profile {profile} cannot be read, so the graph would be open: {error}"
        ) from error
    allowed = [address.text for address in root.findall(".//{*}interfaceWhiteList/{*}address")]
    builtin = [used.text for used in root.findall(".//{*}useBuiltinTransports")]
    if allowed != [LOOPBACK_ADDRESS] or builtin != ["false"]:
        raise ConfigError(
            f"Fast DDS profile {profile} does not keep the graph on this machine: interfaceWhiteList has "
            f"{allowed or 'no address'} (should be {LOOPBACK_ADDRESS}), useBuiltinTransports is "
            f"{builtin or 'not there'} (should be false)"
        )


def _is_alone(env: Mapping[str, str]) -> bool:
    """Return whether the graph is to be on this machine only, with a middleware that can use our profile."""
    return (
        env.get(RANGE) == "LOCALHOST"
        and "ROS_LOCALHOST_ONLY" not in env
        and not env.get("ROS_STATIC_PEERS")
        and env.get("RMW_IMPLEMENTATION", "") in ("", *FASTDDS)
    )


def of_program(name: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the program ``name`` of a launch file; our own command line gets all of ours."""
    return dict(env) if name == OUR_PROGRAM else of_outside_program(env)


def of_outside_program(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program that is not installed in this virtual environment."""
    return {name: value for name, value in env.items() if name not in OURS_ALONE}


def find_program(name: str) -> str | None:
    """Return the path of a program in the folder of our Python or on the PATH; None if it is not found."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.is_file() else shutil.which(name)


class UnknownPackageError(ConfigError, LookupError):
    """No prefix of ROS has such a package."""


def find_share(package: str) -> Path:
    """Return the share directory of a package. It works without a sourced setup file and without ROS 2.

    Raises:
        UnknownPackageError: there is no such package.
    """
    prepare()
    prefixes = [Path(prefix) for prefix in os.environ["AMENT_PREFIX_PATH"].split(os.pathsep) if prefix]
    for prefix in prefixes:
        if package == Path(package).name and is_file(prefix / INDEX / package):
            return prefix / "share" / package
    raise UnknownPackageError(
        f"package '{package}' not found, searching: {[str(prefix) for prefix in prefixes]}; unset AMENT_PREFIX_PATH, "
        "or source the setup file of the workspace that has it"
    )
