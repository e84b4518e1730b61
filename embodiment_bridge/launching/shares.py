# SPDX-License-Identifier: Apache-2.0
"""Where the files of packages are."""

from pathlib import Path

from embodiment_bridge.launching.environment import prepare


def find_share(package: str) -> Path:
    """The share directory of a package, also where no setup file was sourced.

    Raises:
        LookupError: there is no such package.
    """
    from ament_index_python.packages import (
        get_package_share_directory,
    )

    prepare()
    return Path(get_package_share_directory(package))
