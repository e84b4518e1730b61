# SPDX-License-Identifier: Apache-2.0
"""Quality of service by role. Every profile can be overridden by parameters (``qos_overrides.<topic>...``)."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

# Sensor topics are reliable too, so that both kinds of subscribers match; keep-last never blocks the publisher.
_DEPTH = {"state": 10, "sensor": 5, "latched": 1, "command": 10, "events": 1000}


def profile(role: str) -> QoSProfile:
    """The profile of a role: ``state``, ``sensor``, ``command``, ``events``, or ``latched`` (for late joiners)."""
    latched = role == "latched"
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_DEPTH[role],
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def overridable() -> QoSOverridingOptions:
    """Options by which users change history, depth, reliability and durability in a parameter file."""
    return QoSOverridingOptions(
        (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY, QoSPolicyKind.DURABILITY)
    )
