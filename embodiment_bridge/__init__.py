# SPDX-License-Identifier: Apache-2.0
"""Any brain drives any body: one typed ROS 2 graph between brains and robots."""

from pkgutil import extend_path

# In a source checkout the generated msg, srv and action packages live in the install space.
__path__ = extend_path(__path__, __name__)
__version__ = "0.1.0"

from embodiment_bridge.core import moved

moved.install()
