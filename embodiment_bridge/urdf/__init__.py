# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions: reads URDF and computes the poses of links.

``model`` has the types of a description, ``reader`` reads it from XML, ``transforms`` turns joint positions into
the poses of links. There is no ROS and no network here; ``package://`` names stay text.
"""

from embodiment_bridge.urdf.model import (
    Box,
    Capsule,
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
    seen_from,
)

__all__ = [
    "Box",
    "Capsule",
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
    "seen_from",
]
