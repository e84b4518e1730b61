# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions: read URDF, and say where each link is.

``model`` is what a description says, ``reader`` turns XML into it, ``transforms`` turns joint positions into
the poses of links. Pure: XML in, values out; no ROS, no network, and ``package://`` names stay text.
"""

from embodiment_bridge.urdf.model import (
    Box,
    Cylinder,
    Joint,
    JointType,
    Limit,
    Link,
    Mesh,
    Mimic,
    Origin,
    Robot,
    Shape,
    Sphere,
    Visual,
)
from embodiment_bridge.urdf.reader import read_urdf
from embodiment_bridge.urdf.transforms import (
    LinkTransform,
    chain,
    fixed_transforms,
    link_pose,
    link_transforms,
)

__all__ = [
    "Box",
    "Cylinder",
    "Joint",
    "JointType",
    "Limit",
    "Link",
    "LinkTransform",
    "Mesh",
    "Mimic",
    "Origin",
    "Robot",
    "Shape",
    "Sphere",
    "Visual",
    "chain",
    "fixed_transforms",
    "link_pose",
    "link_transforms",
    "read_urdf",
]
