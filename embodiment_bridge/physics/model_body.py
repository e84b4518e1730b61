# SPDX-License-Identifier: Apache-2.0
"""The body of a model: all its driven joints, or those of a body file with the gains of the model."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from embodiment_bridge.body.description import BodyDescription, Joint
from embodiment_bridge.body.plain_body import channel_of, plain_body
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.physics.assembly import Assembly
from embodiment_bridge.physics.joints import DrivenJoint

UNLIMITED: Final = 1e4  # rad or m, for a joint without a range: 1600 turns of a wheel
SKILLS: Final = ("reset", "rest")


def body_of_model(assembly: Assembly) -> BodyDescription:
    """A body with all driven joints; rest is the first keyframe of the model, or the angle nearest to 0."""
    first: Mapping[str, float] = next(iter(assembly.keyframes.values()), {})
    joints = [_joint(joint, first.get(joint.name, 0.0)) for joint in assembly.joints]
    return plain_body(assembly.name, joints, SKILLS)


def with_gains(body: BodyDescription, assembly: Assembly) -> BodyDescription:
    """The body, with the model's gains for joints that have none.

    Raises:
        ConfigError: a joint of the body is not driven in the model.
    """
    known = {joint.name: joint for joint in assembly.joints}
    joints = []
    for joint in body.joints:
        if joint.name not in known:
            raise ConfigError(
                f"body {body.name!r}: {unknown(f'joint of model {assembly.name!r}', joint.name, known)}"
            )
        model = known[joint.name]
        joints.append(joint if joint.kp or joint.kd else replace(joint, kp=model.kp, kd=model.kd))
    return replace(body, joints=tuple(joints))


def _joint(joint: DrivenJoint, rest: float) -> Joint:
    lower, upper = max(joint.lower, -UNLIMITED), min(joint.upper, UNLIMITED)
    rest = min(max(rest, lower), upper)
    return Joint(
        joint.name, channel_of(joint.name), lower, upper, joint.velocity, joint.effort, joint.kp, joint.kd, rest,
        joint.name,
    )  # fmt: skip
