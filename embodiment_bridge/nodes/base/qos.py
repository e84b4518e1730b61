# SPDX-License-Identifier: Apache-2.0
"""Quality of service by role. Every profile can be overridden by parameters (``qos_overrides.<topic>...``)."""

from collections.abc import Iterable

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

# Sensor topics are reliable too, so that both kinds of subscribers match; keep-last never blocks the publisher.
_DEPTH = {"state": 10, "sensor": 5, "latched": 1, "command": 10, "events": 1000}


def profile(role: str) -> QoSProfile:
    """Return the QoS of a role: ``state``, ``sensor``, ``command``, ``events``, or ``latched`` (for late joiners)."""
    latched = role == "latched"
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_DEPTH[role],
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def overrides_of(topic: str, kind: str, given: Iterable[str]) -> QoSOverridingOptions | None:
    """Return the options by which a parameter file changes history, depth, reliability and durability of a topic.

    None unless one of the parameters ``given`` to the node asks for it: rclpy would declare four for every topic.

    Args:
        topic: full name.
        kind: publisher or subscription.
        given: names of parameters.
    """
    if not any(name.startswith(f"qos_overrides.{topic}.{kind}.") for name in given):
        return None
    return QoSOverridingOptions(
        (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY, QoSPolicyKind.DURABILITY)
    )
