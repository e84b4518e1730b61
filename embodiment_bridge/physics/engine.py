# SPDX-License-Identifier: Apache-2.0
"""MuJoCo, imported in this one place, so that a machine without it gets one clear line.

MuJoCo writes its warnings into MUJOCO_LOG.TXT in the working directory. They are switched off here for the whole
process: ``Simulation`` reads the counters of warnings itself.
"""

from embodiment_bridge.core.errors import ConfigError

try:
    import mujoco
except ImportError as error:
    raise ConfigError(
        f"physics needs the Python package mujoco (pip install 'mujoco>=3.5,<5'): {error}"
    ) from error

__all__ = ["mujoco", "one_line"]

mujoco.set_mju_user_warning(lambda text: None)


def one_line(error: Exception) -> str:
    """Return the text of an error of MuJoCo, which has several lines, in one."""
    return "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
