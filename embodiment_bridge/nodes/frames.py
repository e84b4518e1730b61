# SPDX-License-Identifier: Apache-2.0
"""Transforms as TF messages."""

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from embodiment_bridge.urdf import LinkTransform


def tf_message(transforms: Iterable[LinkTransform], stamp: Time, prefix: str) -> TFMessage:
    """One message of all transforms (m, unit quaternions); ``prefix`` goes before every frame name."""
    return TFMessage(transforms=[_stamped(transform, stamp, prefix) for transform in transforms])


def _stamped(transform: LinkTransform, stamp: Time, prefix: str) -> TransformStamped:
    x, y, z = transform.xyz
    qx, qy, qz, qw = transform.quaternion
    return TransformStamped(
        header=Header(stamp=stamp, frame_id=prefix + transform.parent),
        child_frame_id=prefix + transform.child,
        transform=Transform(translation=Vector3(x=x, y=y, z=z), rotation=Quaternion(x=qx, y=qy, z=qz, w=qw)),
    )
