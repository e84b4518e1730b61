# SPDX-License-Identifier: Apache-2.0
"""Finds the share directories of packages."""

import os
from pathlib import Path

from embodiment_bridge.core.paths import is_file
from embodiment_bridge.launching.environment import prepare

INDEX = Path("share/ament_index/resource_index/packages")  # has one file per package of a prefix


def find_share(package: str) -> Path:
    """The share directory of a package. It works without a sourced setup file and without ROS 2.

    Raises:
        LookupError: there is no such package.
    """
    prepare()
    prefixes = [Path(prefix) for prefix in os.environ["AMENT_PREFIX_PATH"].split(os.pathsep) if prefix]
    for prefix in prefixes:
        if package == Path(package).name and is_file(prefix / INDEX / package):
            return prefix / "share" / package
    raise LookupError(f"package '{package}' not found, searching: {[str(prefix) for prefix in prefixes]}")
