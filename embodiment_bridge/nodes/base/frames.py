# SPDX-License-Identifier: Apache-2.0
"""Converts transforms to TF messages."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeAlias

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from embodiment_bridge.urdf import LinkTransform

ROOT = "/"  # before a name to which the prefix does not go
Frames: TypeAlias = tuple[tuple[str, str], ...]  # (parent, child) of each transform


def flat(transforms: Iterable[LinkTransform]) -> tuple[Frames, list[float]]:
    """The frames of transforms, and seven numbers of each: m, unit quaternion."""
    frames: list[tuple[str, str]] = []
    numbers: list[float] = []
    for parent, child, xyz, quaternion in transforms:
        frames.append((parent, child))
        numbers += xyz
        numbers += quaternion
    return tuple(frames), numbers


class TransformMessages:
    """Makes the TF messages of one robot; ``prefix`` goes before every frame name that does not begin with ``/``.

    Creating a TransformStamped takes 10 us, filling one in takes 1 us, so each pair of frames has one that is reused.
    A message is valid until the next one is made; a publisher has serialised it by then. Where 50 messages a second
    have the same frames, ``of_numbers`` is for a ``PackedOutlet``.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._kept: dict[tuple[str, str], TransformStamped] = {}

    def make(self, transforms: Iterable[LinkTransform], stamp: Time) -> TFMessage:
        """One message with all transforms (m, unit quaternions)."""
        return TFMessage(transforms=[self._fill_in(transform, stamp) for transform in transforms])

    def of_numbers(self, frames: Frames, numbers: Sequence[float], stamp: Time) -> TFMessage:
        """As ``make``, with the numbers of ``flat``."""
        rows = iter(numbers)
        transforms = []
        for parent, child in frames:
            x, y, z, qx, qy, qz, qw = islice(rows, 7)
            transforms.append(LinkTransform(parent, child, (x, y, z), (qx, qy, qz, qw)))
        return self.make(transforms, stamp)

    def _fill_in(self, transform: LinkTransform, stamp: Time) -> TransformStamped:
        message = self._kept.get((transform.parent, transform.child)) or self._build(transform)
        message.header.stamp = stamp
        translation, rotation = message.transform.translation, message.transform.rotation
        translation.x, translation.y, translation.z = transform.xyz
        rotation.x, rotation.y, rotation.z, rotation.w = transform.quaternion
        return message

    def _build(self, transform: LinkTransform) -> TransformStamped:
        message = TransformStamped(child_frame_id=self._named(transform.child))
        message.header.frame_id = self._named(transform.parent)
        self._kept[transform.parent, transform.child] = message
        return message

    def _named(self, frame: str) -> str:
        return frame.removeprefix(ROOT) if frame.startswith(ROOT) else self._prefix + frame
