# SPDX-License-Identifier: Apache-2.0
"""Any brain drives any body: one typed ROS 2 graph between brains and robots."""

from pkgutil import extend_path

# In a source checkout the generated msg, srv and action packages live in the install space.
__path__ = extend_path(__path__, __name__)
__version__ = "0.1.0"

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from embodiment_bridge.robot.robot import Robot as Robot


def __getattr__(name: str) -> object:
    """``Robot``, which needs ROS 2; everything else of this package can be imported without it."""
    if name == "Robot":
        from embodiment_bridge.robot.robot import Robot

        return Robot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
